// SPDX-License-Identifier: Apache-2.0
//
// Which files a host may open, by Landlock. The system calls and constants are written out here: headers
// are older than kernels, and a newer kernel tells its version itself. What is not named is refused: the
// home folder, /tmp, the run's folder, other sides' modules, /dev but a few devices.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "worker/host/sandbox_internal.h"

// The same numbers on every architecture.
enum { CALL_CREATE_RULESET = 444, CALL_ADD_RULE = 445, CALL_RESTRICT_SELF = 446 };
enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_ALL_ABI1 = (1 << 13) - 1,
    FS_REFER = 1 << 13,     // ABI 2
    FS_TRUNCATE = 1 << 14,  // ABI 3
    FS_IOCTL_DEV = 1 << 15, // ABI 5
    FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
    FS_READ = FS_READ_FILE | FS_READ_DIR,
    NET_TCP = 3,    // bind and connect, ABI 4
    SCOPE_BOTH = 3, // abstract sockets and signals, ABI 6
    PUBLIC_DEPTH_MAX = 2
};

struct ruleset_attributes {
    uint64_t handled_fs, handled_net, scoped;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent_fd;
} __attribute__((packed));

struct files {
    int fd;             // the ruleset
    uint64_t handled;   // the rights that this kernel knows
    uint64_t read;      // reading, and running programs where the policy allows any
    const char *hidden; // real path of a folder that is read nowhere; NULL: none
    struct err *err;
};

// Returns 1 when path was there, 0 when it was not (or cannot be reached anyway), negative on an error.
static int allow(const struct files *files, const char *path, uint64_t rights) {
    struct stat status;
    int result = 1;
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return 0;
    rights &= files->handled;
    if (fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= FS_OF_FILES;
    const struct path_rule rule = {.allowed = rights, .parent_fd = fd};
    if (rights && syscall(CALL_ADD_RULE, files->fd, RULE_PATH_BENEATH, &rule, 0) < 0)
        result = err_set_errno(files->err, ERR_UNAVAILABLE, "cannot allow '%s' to a kernel's process", path);
    close(fd);
    return result;
}

// Whether everybody may read it: what only its owner may read holds secrets, and the owner may be us.
static bool is_public(const struct stat *status) {
    const mode_t wanted = S_ISDIR(status->st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
    return (status->st_mode & wanted) == wanted;
}

// Calls visit for each entry; stops at a negative answer.
static int for_each_entry(const struct files *files, const char *folder, int depth,
                          int (*visit)(const struct files *, const char *path, int depth)) {
    int result = 0;
    const struct dirent *entry;
    DIR *entries = opendir(folder);
    if (!entries) return 0;
    while (result >= 0 && (entry = readdir(entries))) {
        if (str_equal(entry->d_name, ".") || str_equal(entry->d_name, "..")) continue;
        char *path = mem_format("%s/%s", folder, entry->d_name);
        result = visit(files, path, depth);
        free(path);
    }
    closedir(entries);
    return result;
}

static bool holds_secrets(const char *folder) {
    bool found = false;
    struct stat status;
    const struct dirent *entry;
    DIR *entries = opendir(folder);
    if (!entries) return true;
    // A link is as open as what it names, wherever that lies.
    while (!found && (entry = readdir(entries)))
        found = entry->d_type != DT_LNK && fstatat(dirfd(entries), entry->d_name, &status, 0) == 0 &&
                !is_public(&status);
    closedir(entries);
    return found;
}

// Allows reading of path without what only its owner, root, may read (/etc/shadow, /etc/ssl/private).
static int allow_public(const struct files *files, const char *path, int depth) {
    struct stat status;
    if (stat(path, &status) < 0 || !is_public(&status)) return 0;
    if (!S_ISDIR(status.st_mode) || depth >= PUBLIC_DEPTH_MAX || !holds_secrets(path))
        return allow(files, path, files->read);
    return for_each_entry(files, path, depth + 1, allow_public);
}

// Landlock takes nothing back of a folder that is allowed, so one above the hidden folder is allowed by its
// entries. Names can be listed. A link needs no right, and what it names has its own.
static int allow_around(const struct files *files, const char *path, int depth) {
    struct stat status;
    if (lstat(path, &status) < 0 || S_ISLNK(status.st_mode) || path_is_within(path, files->hidden)) return 0;
    if (!path_is_within(files->hidden, path)) return allow(files, path, files->read);
    TRY(allow(files, path, FS_READ_DIR));
    return for_each_entry(files, path, depth + 1, allow_around);
}

static int allow_reading(const struct files *files, const char *path) {
    char *real = files->hidden ? realpath(path, NULL) : NULL;
    const int ret = real ? allow_around(files, real, 0) : allow(files, path, files->read);
    free(real);
    return ret;
}

static int allow_list(const struct files *files, const char *const *paths, uint64_t rights) {
    for (; paths && *paths; ++paths) TRY(allow(files, *paths, rights));
    return 0;
}

static int allow_reading_list(const struct files *files, const char *const *paths) {
    for (; paths && *paths; ++paths) TRY(allow_reading(files, *paths));
    return 0;
}

// The folders of LD_LIBRARY_PATH: the loader reads them for us.
static int allow_library_path(const struct files *files) {
    char *copy = mem_strdup(getenv("LD_LIBRARY_PATH")), *rest = NULL;
    int result = 0;
    for (char *at = copy ? strtok_r(copy, ":", &rest) : NULL; at && result >= 0;
         at = strtok_r(NULL, ":", &rest))
        if (*at == '/') result = allow_reading(files, at);
    free(copy);
    return result;
}

static int allow_gpu_device(const struct files *files, const char *path, int depth) {
    (void)depth;
    const bool is_gpu = str_starts(path, "/dev/nvidia") || str_equal(path, "/dev/dxg");
    return is_gpu ? allow(files, path, FS_READ | FS_WRITE_FILE | FS_IOCTL_DEV) : 0;
}

// The CUDA driver names its threads by writing /proc/self/task/N/comm, and does not start without. The folder
// stays open, since a rule holds for as long as the system remembers the folder.
static int allow_thread_names(const struct files *files) {
    static const char folder[] = "/proc/self/task";
    return open(folder, O_PATH | O_CLOEXEC) < 0 ? 0
                                                : allow(files, folder, FS_READ | FS_WRITE_FILE | FS_TRUNCATE);
}

static int add_rules(const struct files *files, const struct sandbox_policy *policy) {
    static const char *const system_dirs[] = {"/usr",
                                              "/bin",
                                              "/sbin",
                                              "/lib",
                                              "/lib32",
                                              "/lib64",
                                              "/opt",
                                              "/nix",
                                              "/gnu",
                                              "/run/opengl-driver",
                                              "/var/lib/alternatives",
                                              NULL};
    static const char *const facts[] = {"/proc", "/sys", "/dev/full", "/dev/random", "/dev/urandom", NULL};
    static const char *const sinks[] = {"/dev/null", "/dev/zero", NULL};
    TRY(allow_reading_list(files, system_dirs));
    TRY(geteuid() == 0 ? allow_public(files, "/etc", 0) : allow(files, "/etc", files->read));
    TRY(allow_list(files, facts, FS_READ));
    TRY(allow_list(files, sinks, FS_READ | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV));
    TRY(allow_library_path(files));
    TRY(allow_reading_list(files, policy->read_dirs));
    if (policy->allows_gpu) TRY(for_each_entry(files, "/dev", 0, allow_gpu_device));
    if (policy->allows_gpu) TRY(allow_thread_names(files));
    if (!policy->scratch_dir) return 0;
    // No programs from a folder that can be written, no devices, no sockets.
    const uint64_t scratch = FS_READ | FS_WRITE_FILE | FS_TRUNCATE | FS_REFER | FS_IOCTL_DEV |
                             (FS_ALL_ABI1 & ~(uint64_t)(FS_EXECUTE | 1 << 6 | 1 << 9 | 1 << 11));
    if (allow(files, policy->scratch_dir, scratch) > 0) return 0;
    if (files->err && files->err->code) return -(int)files->err->code;
    return err_set_errno(files->err, ERR_NO_INPUT, "no scratch folder '%s'", policy->scratch_dir);
}

int sandbox_files_enter(const struct sandbox_policy *policy, int *ret_abi, struct err *err) {
    struct ruleset_attributes attributes = {0};
    *ret_abi = 0;
    const long abi = syscall(CALL_CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
    if (abi < 1) return 0; // not in this kernel, or switched off
    struct err own = {0};
    struct files files = {.handled = FS_ALL_ABI1, .err = err ? err : &own};
    if (abi >= 2) files.handled |= FS_REFER;
    if (abi >= 3) files.handled |= FS_TRUNCATE;
    if (abi >= 5) files.handled |= FS_IOCTL_DEV;
    files.read = policy->allows_programs ? FS_READ | FS_EXECUTE : FS_READ;
    attributes.handled_fs = files.handled;
    attributes.handled_net = abi >= 4 && !policy->allows_network ? NET_TCP : 0;
    attributes.scoped = abi >= 6 ? SCOPE_BOTH : 0;
    // Older kernels accept a longer struct whose new members are zero.
    files.fd = (int)syscall(CALL_CREATE_RULESET, &attributes, sizeof attributes, 0);
    if (files.fd < 0) return err_set_errno(err, ERR_UNAVAILABLE, "Landlock refuses a ruleset");
    char *hidden = policy->hidden_dir ? realpath(policy->hidden_dir, NULL) : NULL; // not there: nothing in it
    files.hidden = hidden;
    int result = add_rules(&files, policy);
    free(hidden);
    if (result >= 0 && syscall(CALL_RESTRICT_SELF, files.fd, 0) < 0)
        result = err_set_errno(err, ERR_UNAVAILABLE, "Landlock cannot restrict a kernel's process");
    close(files.fd);
    if (result >= 0) *ret_abi = (int)abi;
    return result < 0 ? result : 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// Style: prepare opens a file of the system and maps another one; each may be absent.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "honest.h"

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)h, (void)workspace_bytes;
    char name[256];
    int fd = open("/etc/hostname", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!read(fd, name, sizeof name);
        close(fd);
    }
    struct stat status;
    fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return ASSAY_OK;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        void *text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (text != MAP_FAILED) munmap(text, (size_t)status.st_size);
    }
    close(fd);
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(honest_launch_all, setup, honest_no_cleanup)

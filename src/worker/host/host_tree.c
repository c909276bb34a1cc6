// SPDX-License-Identifier: Apache-2.0
//
// Descendants of a process, by the parents that /proc names. A stopped process cannot start others, so
// whoever stops what is found and looks again until nothing new is there has all of them.
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "worker/host/host_fork.h"
#include "worker/host/host_process_internal.h"

enum { STAT_BYTES = 512, PATH_BYTES = 64, CHILDREN_BYTES = 16384, STATUS_BYTES_MAX = 65536 };

struct facts {
    char state; // R S D T t Z X
    long parent, thread_count;
};

static bool read_facts(const char *path, struct facts *ret) {
    char text[STAT_BYTES];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0) return false;
    text[got] = '\0';
    const char *after_name = strrchr(text, ')'); // the name may hold anything
    return after_name &&
           sscanf(after_name, ") %c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld",
                  &ret->state, &ret->parent, &ret->thread_count) == 3;
}

static bool is_dead_state(char state) {
    return state == 'Z' || state == 'X';
}

static bool read_node(pid_t pid, struct host_tree_node *ret) {
    char path[PATH_BYTES];
    struct facts facts;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (!read_facts(path, &facts)) return false;
    // The first thread of a process may have ended before the others: such a process is a zombie only in
    // name.
    *ret = (struct host_tree_node){.pid = pid,
                                   .parent = (pid_t)facts.parent,
                                   .thread_count = facts.thread_count > 0 ? (size_t)facts.thread_count : 1,
                                   .is_dead = is_dead_state(facts.state) && facts.thread_count <= 1};
    return true;
}

static void add(struct host_tree *tree, const struct host_tree_node *node) {
    MEM_GROW(tree->nodes, tree->capacity, tree->count + 1);
    tree->nodes[tree->count++] = *node;
}

static bool holds(const struct host_tree *tree, pid_t pid) {
    for (size_t i = 0; i < tree->count; ++i)
        if (tree->nodes[i].pid == pid) return true;
    return false;
}

// Calls visit with each number that is a name in the folder.
static bool for_each_number(const char *folder, void (*visit)(void *context, pid_t number), void *context) {
    const struct dirent *entry;
    DIR *entries = opendir(folder);
    if (!entries) return false;
    while ((entry = readdir(entries))) {
        char *end;
        const long number = strtol(entry->d_name, &end, 10);
        if (!*end && number > 0) visit(context, (pid_t)number);
    }
    closedir(entries);
    return true;
}

static bool read_thread_facts(pid_t process, pid_t thread, struct facts *ret) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/stat", (long)process, (long)thread);
    return read_facts(path, ret);
}

struct threads {
    pid_t process;
    bool has_running;
};

// A thread in an uninterruptible wait (D: vfork, a driver) meets the stop signal before it is back in its
// own code. But a signal to the process may have been handed to just that thread, so each of the others
// gets one of its own.
static void stop_thread(void *context, pid_t thread) {
    struct threads *threads = context;
    struct facts facts;
    if (!read_thread_facts(threads->process, thread, &facts) || strchr("TtZXD", facts.state)) return;
    threads->has_running = true;
    syscall(SYS_tgkill, threads->process, thread, SIGSTOP);
}

bool host_tree_stop(pid_t pid) {
    struct threads threads = {.process = pid};
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    for_each_number(path, stop_thread, &threads);
    return !threads.has_running;
}

struct runnable {
    pid_t process;
    size_t count;
};

static void add_if_runnable(void *context, pid_t thread) {
    struct runnable *runnable = context;
    struct facts facts;
    runnable->count += read_thread_facts(runnable->process, thread, &facts) && facts.state == 'R';
}

size_t host_process_runnable_threads(pid_t pid) {
    struct runnable runnable = {.process = pid};
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    for_each_number(path, add_if_runnable, &runnable);
    return runnable.count;
}

struct filters {
    pid_t process;
    int least; // INT_MAX: no thread seen; -1 unknown
};

static void look_at_filters(void *context, pid_t thread) {
    struct filters *filters = context;
    static const char key[] = "\nSeccomp_filters:";
    char path[PATH_BYTES], *text = NULL;
    size_t length;
    int number = -1;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/status", (long)filters->process, (long)thread);
    if (file_read(path, STATUS_BYTES_MAX, &text, &length, NULL) < 0) return; // it has just ended
    const char *at = strstr(text, key);
    if (at && sscanf(at + sizeof key - 1, "%d", &number) != 1) number = -1;
    if (number < filters->least) filters->least = number;
    free(text);
}

int host_tree_filters(pid_t pid) {
    struct filters filters = {.process = pid, .least = INT_MAX};
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    for_each_number(path, look_at_filters, &filters);
    return filters.least == INT_MAX ? -1 : filters.least;
}

struct children {
    struct host_tree *tree;
    pid_t parent;
    bool is_known; // this kernel lists children (CONFIG_PROC_CHILDREN)
};

static void add_children_of_thread(void *context, pid_t thread) {
    struct children *children = context;
    char path[PATH_BYTES], text[CHILDREN_BYTES];
    struct host_tree_node node;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)children->parent, (long)thread);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    children->is_known = true;
    // A read gives a page of whole numbers.
    for (ssize_t got; (got = read(fd, text, sizeof text - 1)) > 0;) {
        text[got] = '\0';
        for (char *at = text, *end; *at; at = end) {
            const long pid = strtol(at, &end, 10);
            if (end == at) break;
            if (pid > 0 && read_node((pid_t)pid, &node) && !holds(children->tree, node.pid))
                add(children->tree, &node);
        }
    }
    close(fd);
}

static bool add_children(struct host_tree *tree, pid_t parent) {
    struct children children = {.tree = tree, .parent = parent};
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)parent);
    return for_each_number(path, add_children_of_thread, &children) && children.is_known;
}

static void add_process(void *context, pid_t pid) {
    struct host_tree_node node;
    if (read_node(pid, &node)) add(context, &node);
}

// The slow way: all processes of the system, then the children of those that were found.
static void add_by_scan(struct host_tree *tree, pid_t root) {
    struct host_tree all = {0};
    for_each_number("/proc", add_process, &all);
    for (size_t parent = 0; parent <= tree->count; ++parent) {
        const pid_t pid = parent == 0 ? root : tree->nodes[parent - 1].pid;
        for (size_t i = 0; i < all.count; ++i)
            if (all.nodes[i].parent == pid && !holds(tree, all.nodes[i].pid)) add(tree, &all.nodes[i]);
    }
    host_tree_fini(&all);
}

void host_tree_below(pid_t root, struct host_tree *ret) {
    *ret = (struct host_tree){0};
    if (!add_children(ret, root)) {
        // No list of children, or no such process: then there is nothing to be found either.
        add_by_scan(ret, root);
        return;
    }
    for (size_t i = 0; i < ret->count; ++i) add_children(ret, ret->nodes[i].pid);
}

static bool is_host(const struct host_process *hosts, pid_t pid) {
    if (pid == host_fork_server()) return true;
    for (; hosts; hosts = hosts->next)
        if (hosts->pid == pid) return true;
    return false;
}

void host_tree_orphans(const struct host_process *hosts, struct host_tree *ret) {
    struct host_tree own;
    *ret = (struct host_tree){0};
    host_tree_below(getpid(), &own);
    for (size_t i = 0; i < own.count; ++i) {
        const struct host_tree_node *node = &own.nodes[i];
        const bool is_orphan =
            node->parent == getpid() ? !is_host(hosts, node->pid) : holds(ret, node->parent);
        if (is_orphan) add(ret, node);
    }
    host_tree_fini(&own);
}

void host_tree_fini(struct host_tree *tree) {
    free(tree->nodes);
    *tree = (struct host_tree){0};
}

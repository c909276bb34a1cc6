// SPDX-License-Identifier: Apache-2.0
//
// What a host's threads may do in its sandbox: run, be bound to processors and get signals.
#ifndef SANDBOX_THREADS_H
#define SANDBOX_THREADS_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

static volatile sig_atomic_t signals_seen;
static void see_signal(int number) {
    (void)number;
    ++signals_seen;
}

static void *wait_for_signal(void *unused) {
    (void)unused;
    while (signals_seen == 0) usleep(100);
    return NULL;
}

static bool threads_work(void) {
    const struct sigaction action = {.sa_handler = see_signal};
    pthread_t thread;
    void *ignored;
    cpu_set_t cpus;
    signals_seen = 0;
    sigaction(SIGUSR1, &action, NULL);
    if (pthread_create(&thread, NULL, wait_for_signal, NULL) != 0) return false;
    pthread_getaffinity_np(thread, sizeof cpus, &cpus);
    const bool is_bound = pthread_setaffinity_np(thread, sizeof cpus, &cpus) == 0;
    const bool is_sent = pthread_kill(thread, SIGUSR1) == 0;
    if (!is_sent) signals_seen = 1;
    pthread_join(thread, &ignored);
    return is_bound && is_sent && raise(SIGUSR1) == 0 && signals_seen >= 2 && kill(getpid(), SIGUSR1) == 0;
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Style: a thread that begins in the first launch, outlives release, and is joined by a destructor when
// the module goes.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "honest.h"

namespace {
class pool {
    std::mutex mutex;
    std::condition_variable work, done;
    struct honest *h = nullptr; // work, or none
    bool is_over = false;
    std::thread thread;

    void help() {
        std::unique_lock<std::mutex> lock(mutex);
        for (;;) {
            work.wait(lock, [this] { return h || is_over; });
            if (is_over) return;
            honest_rows_by(h, 1, 2);
            h = nullptr;
            done.notify_one();
        }
    }

  public:
    void run(struct honest *next) {
        if (!thread.joinable()) thread = std::thread(&pool::help, this);
        {
            std::lock_guard<std::mutex> lock(mutex);
            h = next;
        }
        work.notify_one();
        honest_rows_by(next, 0, 2);
        std::unique_lock<std::mutex> lock(mutex);
        done.wait(lock, [this] { return !h; });
    }
    ~pool() {
        if (!thread.joinable()) return;
        {
            std::lock_guard<std::mutex> lock(mutex);
            is_over = true;
        }
        work.notify_one();
        thread.join();
    }
};

pool threads;
} // namespace

static int launch(struct honest *h) {
    threads.run(h);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)

// SPDX-License-Identifier: Apache-2.0
//
// What compilers left in the folder of an interpreter's host: taken once from a host that has seen no data of a
// measurement, then given to later hosts of that side, to each a copy of its own. Nothing that one of those
// writes reaches another.
#ifndef WORKER_HOST_HOST_CACHE_H
#define WORKER_HOST_HOST_CACHE_H

// In the folder of a host, beside what it has as HOME.
#define HOST_CACHE_NAME "cache"

// Copies plain files and folders of the ended host's cache into `to`, which is not there yet. Links, what is
// too large and what cannot be read are left out: a compiler then compiles.
void host_cache_freeze(const char *scratch_dir, const char *to);
// Into the folder of a host that has not started. Compilers write down where their files lie: the same places
// are named in the copy.
void host_cache_thaw(const char *from, const char *scratch_dir);

#endif

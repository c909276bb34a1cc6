// SPDX-License-Identifier: Apache-2.0
//
// See made_pool.h. Data of the first set follow from the seed alone, so that a failure can be repeated. Those
// of the others nobody can know before: a kernel could have learnt them.
#include "worker/check/made_pool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dice.h"
#include "base/file.h"
#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/declared/made_inputs.h"
#include "op/seed_stream.h"
#include "worker/check/declared_reference.h"
#include "worker/check/reference.h"

static const char pool_magic[8] = {'a', 's', 'a', 'y', 'i', 'n', 'p', '\n'};

// A multiple of 64 bytes, so that the tensors behind it are aligned.
struct pool_header {
    char magic[8];
    uint64_t set_bytes;
    char data_hash[HASH_HEX_BYTES + 7];
    uint64_t set_count;
};
_Static_assert(sizeof(struct pool_header) % 64 == 0, "tensors behind the header must be aligned");

static size_t bytes_of(const struct made_inputs *made) {
    return sizeof(struct pool_header) + made->set_count * made->set_bytes;
}

static void hash_sets(const struct made_inputs *made, char ret[HASH_HEX_BYTES + 7]) {
    memset(ret, 0, HASH_HEX_BYTES + 7);
    hash_bytes_hex(made->sets, made->set_count * made->set_bytes, ret);
}

// ---- the file ----

// Whether a mapped file has sets of the tensors that are described.
static bool is_pool(const struct made_inputs *described, struct made_inputs *found) {
    struct pool_header header;
    char hash[sizeof header.data_hash];
    if (found->map_bytes < sizeof header) return false;
    memcpy(&header, found->memory, sizeof header);
    found->set_count = (uint32_t)header.set_count;
    found->sets = (char *)found->memory + sizeof header;
    if (memcmp(header.magic, pool_magic, sizeof pool_magic) != 0 ||
        header.set_bytes != described->set_bytes || header.set_count > described->set_count ||
        !header.set_count || found->map_bytes != bytes_of(found))
        return false;
    hash_sets(found, hash);
    return memcmp(hash, header.data_hash, sizeof hash) == 0;
}

// Mapped, so that the workers of a run share the file's pages.
static bool load(const char *path, struct made_inputs *ret) {
    struct made_inputs found = *ret;
    struct stat about;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    found.map_bytes = fstat(fd, &about) == 0 && about.st_size > 0 ? (size_t)about.st_size : 0;
    found.memory = found.map_bytes ? mmap(NULL, found.map_bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (found.memory == MAP_FAILED) return false;
    if (is_pool(ret, &found)) return *ret = found, true;
    (void)munmap(found.memory, found.map_bytes);
    return false;
}

static int store(const char *path, const struct made_inputs *made, struct err *err) {
    struct pool_header *header = made->memory;
    memcpy(header->magic, pool_magic, sizeof pool_magic);
    header->set_bytes = made->set_bytes;
    header->set_count = made->set_count;
    hash_sets(made, header->data_hash);
    return file_write_atomic(path, made->memory, bytes_of(made), err);
}

// ---- the process ----

// Whether set i is as the first one.
static bool is_same(const struct made_inputs *made, uint32_t i) {
    return memcmp(made->sets, made->sets + i * made->set_bytes, made->set_bytes) == 0;
}

// Twice with one seed, then with others. One set is enough where the seed changes nothing.
static int make_sets(struct declared_reference_run *run, struct made_inputs *made, struct dice *dice,
                     struct err *err) {
    char *sets = made->sets;
    const uint64_t first = seed_child(made->seed, "made", 0);
    TRY(declared_reference_make(run, first, made, sets, err));
    TRY(declared_reference_make(run, first, made, sets + made->set_bytes, err));
    if (!is_same(made, 1)) {
        struct err why;
        (void)err_set(
            &why, ERR_DATA,
            "it makes other data when it is called again; draw them from random, numpy.random or torch, "
            "to which assay gives the same seed");
        return declared_process_blame(declared_of(made->problem.op), REFERENCE_INPUTS, &why, err);
    }
    bool is_fixed = true;
    for (uint32_t i = 1; i < made->set_count; ++i) {
        TRY(declared_reference_make(run, dice_u64(dice), made, sets + i * made->set_bytes, err));
        is_fixed &= is_same(made, i);
    }
    if (is_fixed) made->set_count = 1;
    return 0;
}

static int make(const struct case_buffers *buffers, struct made_inputs *made, struct err *err) {
    struct declared_reference_run *run;
    struct dice dice = dice_of_seed(made->seed);
    if (!buffers->device->is_virtual) TRY(dice_make_secret(&dice, err));
    made->memory = mem_try_array(bytes_of(made), 1);
    if (!made->memory)
        return err_set(err, ERR_UNAVAILABLE, "no memory for the data that '%s' makes", made->problem.name);
    made->sets = (char *)made->memory + sizeof(struct pool_header);
    int code = declared_reference_open(buffers, &buffers->problem, REFERENCE_INPUTS, &run, err);
    if (code == 0) code = make_sets(run, made, &dice, err);
    return declared_reference_close(run, code, err);
}

int made_pool_open(struct case_buffers *buffers, uint64_t seed, struct err *err) {
    struct made_inputs described, *made;
    if (buffers->made) return 0;
    if ((made = buffers->made = made_inputs_find(&buffers->problem))) return ++made->user_count, 0;
    if (!declared_of(buffers->problem.op) || !made_inputs_describe(&buffers->problem, &described)) return 0;
    described.seed = seed;
    const struct work_order *order = buffers->order;
    const char *dir = order ? order->reference_dir : NULL;
    char *path = dir ? reference_path(dir, &buffers->problem, "inputs", seed) : NULL;
    int code = 0;
    if (!path || !load(path, &described)) {
        code = make(buffers, &described, err);
        if (code == 0 && path && buffers->keeps_made) code = store(path, &described, err);
    }
    free(path);
    if (code < 0) return free(described.memory), code;
    made = buffers->made = mem_alloc(sizeof *made);
    *made = described;
    made_inputs_add(made);
    return 0;
}

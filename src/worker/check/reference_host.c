// SPDX-License-Identifier: Apache-2.0
//
// References in host memory: computing, storing, loading. The file is header | doubles of output 0 | doubles
// of output 1 | ...; written under a temporary name and renamed, so that workers that race each leave a
// complete file. It is not synced: its hash says whether it survived.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "op/declared/declared_fills.h"
#include "worker/check/checker_internal.h"
#include "worker/check/declared_precision.h"
#include "worker/check/declared_reference.h"
#include "worker/check/reference.h"
#include "worker/check/same_precision.h"

#define REFERENCE_VERSION 6
static const char reference_magic[8] = {'a', 's', 'a', 'y', 'r', 'e', 'f', '\n'};

// A multiple of 64 bytes, so that the doubles behind it are aligned.
struct reference_header {
    char magic[8];
    uint32_t version, output_count;
    uint64_t seed;
    char problem[PROBLEM_NAME_BYTES];
    char distribution[32];
    uint64_t element_count[OP_TENSORS_MAX];
    struct reference_same_precision same_precision[OP_TENSORS_MAX];
    struct reference_decides decides;
    uint64_t reserved[2];
    char input_hash[HASH_HEX_BYTES + 7];  // of all inputs' values, and of what computes
    char data_hash[HASH_HEX_BYTES + 7];   // of the doubles
    char header_hash[HASH_HEX_BYTES + 7]; // of everything above
};
_Static_assert(sizeof(struct reference_header) % 64 == 0, "the doubles behind the header must be aligned");

char *reference_path(const char *dir, const struct problem *problem, const char *distribution,
                     uint64_t seed) {
    struct hash_state *hash = hash_new();
    hash_add_text(hash, problem->name);
    hash_add_text(hash, distribution);
    hash_add(hash, &seed, sizeof seed);
    declared_reference_add_hash(problem, hash);
    char hex[HASH_HEX_BYTES], name[HASH_HEX_BYTES + 8];
    hash_take_hex(hash, hex);
    snprintf(name, sizeof name, "%s.ref", hex);
    return path_join(dir, name);
}

// Values only: gaps and addresses do not change what is right. What a device can fill is known by what fills
// it: its bytes may be nowhere but there.
static int hash_input(const struct case_buffers *buffers, uint32_t i, struct hash_state *hash,
                      struct err *err) {
    struct declared_fill_record record;
    const struct problem *problem = &buffers->problem;
    if (buffers->before[i].access == ASSAY_OUT) return 0;
    if (declared_of(problem->op) &&
        declared_record_fill(problem, buffers->distribution, buffers->seed, i, &record)) {
        hash_add(hash, &record, sizeof record);
        return 0;
    }
    TRY(case_buffers_bring_input(buffers, i, err));
    tensor_hash_elements(hash, &buffers->before[i]);
    return 0;
}

// The header that a file for these inputs must have, without the hashes of what is in it.
static int describe_header(const struct case_buffers *buffers, struct reference_header *ret,
                           struct err *err) {
    int code = 0;
    memset(ret, 0, sizeof *ret);
    memcpy(ret->magic, reference_magic, sizeof ret->magic);
    ret->version = REFERENCE_VERSION;
    ret->output_count = case_buffers_output_count(buffers);
    ret->seed = buffers->seed;
    snprintf(ret->problem, sizeof ret->problem, "%s", buffers->problem.name);
    snprintf(ret->distribution, sizeof ret->distribution, "%s", buffers->distribution);
    for (uint32_t k = 0; k < ret->output_count; ++k)
        ret->element_count[k] = tensor_element_count(case_buffers_host_output(buffers, k));
    struct hash_state *hash = hash_new();
    declared_reference_add_hash(&buffers->problem, hash);
    hash_add_text(hash, buffers->device->info.name); // a function in Python may have computed there
    for (uint32_t i = 0; i < buffers->tensor_count && code == 0; ++i)
        code = hash_input(buffers, i, hash, err);
    hash_take_hex(hash, ret->input_hash);
    return code;
}

static uint64_t total_elements(const struct reference_header *header) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < header->output_count; ++i) total += header->element_count[i];
    return total;
}

static void point_outputs(struct reference *reference, const struct reference_header *header,
                          const double *data) {
    reference->output_count = header->output_count;
    memcpy(reference->element_count, header->element_count, sizeof reference->element_count);
    memcpy(reference->same_precision, header->same_precision, sizeof reference->same_precision);
    reference->decides = header->decides;
    for (uint32_t i = 0; i < header->output_count; ++i) {
        reference->outputs[i] = data;
        data += header->element_count[i];
    }
}

// The file must be exactly the one that we would write for these inputs.
static bool is_intact(const void *map, size_t bytes, const struct reference_header *expected) {
    struct reference_header header;
    if (bytes < sizeof header) return false;
    memcpy(&header, map, sizeof header);
    char hex[sizeof header.header_hash] = "";
    hash_bytes_hex(&header, offsetof(struct reference_header, header_hash), hex);
    if (memcmp(header.header_hash, hex, sizeof hex) != 0) return false;
    if (memcmp(&header, expected, offsetof(struct reference_header, same_precision)) != 0 ||
        memcmp(header.input_hash, expected->input_hash, sizeof header.input_hash) != 0)
        return false;
    uint64_t elements = total_elements(expected);
    if ((bytes - sizeof header) / sizeof(double) != elements || (bytes - sizeof header) % sizeof(double))
        return false;
    hash_bytes_hex((const char *)map + sizeof header, elements * sizeof(double), hex);
    return memcmp(header.data_hash, hex, sizeof hex) == 0;
}

static bool load(struct reference *ret, const char *path, const struct reference_header *expected) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    struct stat stat_buf;
    void *map = MAP_FAILED;
    size_t bytes = 0;
    if (fstat(fd, &stat_buf) == 0 && stat_buf.st_size > 0) {
        bytes = (size_t)stat_buf.st_size;
        map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    }
    close(fd);
    if (map == MAP_FAILED) return false;
    if (!is_intact(map, bytes, expected)) {
        munmap(map, bytes);
        return false;
    }
    struct reference_header header;
    memcpy(&header, map, sizeof header);
    ret->map = map;
    ret->map_bytes = bytes;
    ret->is_loaded = true;
    point_outputs(ret, &header, (const double *)(const void *)((const char *)map + sizeof header));
    return true;
}

static bool write_all(int fd, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count) {
        ssize_t written = write(fd, at, count);
        if (written <= 0) return false;
        at += written;
        count -= (size_t)written;
    }
    return true;
}

// Best effort: without room for it the next worker computes again.
static void store(const char *path, struct reference_header *header, const double *data) {
    size_t bytes = (size_t)total_elements(header) * sizeof(double);
    hash_bytes_hex(data, bytes, header->data_hash);
    hash_bytes_hex(header, offsetof(struct reference_header, header_hash), header->header_hash);
    char *temporary = mem_format("%s.%ld.tmp", path, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd >= 0) {
        const bool is_complete = write_all(fd, header, sizeof *header) && write_all(fd, data, bytes);
        if (close(fd) < 0 || !is_complete || rename(temporary, path) < 0) unlink(temporary);
    }
    free(temporary);
}

static int compute(struct reference *ret, const struct case_buffers *buffers, struct reference_header *header,
                   struct err *err) {
    const struct problem *problem = &buffers->problem;
    double *outputs[OP_TENSORS_MAX] = {NULL};
    ret->owned = mem_try_array((size_t)total_elements(header), sizeof(double));
    if (!ret->owned)
        return err_set(err, ERR_UNAVAILABLE, "no memory for the float64 reference of %s (%llu elements)",
                       problem->name, (unsigned long long)total_elements(header));
    uint64_t offset = 0;
    for (uint32_t i = 0; i < header->output_count; ++i) {
        outputs[i] = ret->owned + offset;
        offset += header->element_count[i];
    }
    TRY(oracle_run(buffers, outputs, &header->decides, err));
    point_outputs(ret, header, ret->owned);
    const struct reference *own = buffers->own_reference;
    if (!declared_of(problem->op))
        TRY(same_precision_measure(buffers, ret, ret->same_precision, err));
    else if (own && own != ret && own->output_count)
        memcpy(ret->same_precision, own->same_precision, sizeof ret->same_precision);
    else
        TRY(declared_precision_measure(buffers, ret, outputs, err));
    memcpy(header->same_precision, ret->same_precision, sizeof header->same_precision);
    header->decides = ret->decides;
    return 0;
}

int reference_open_host(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                        struct err *err) {
    memset(ret, 0, sizeof *ret);
    struct reference_header header;
    TRY(describe_header(buffers, &header, err));
    char *path = dir ? reference_path(dir, &buffers->problem, buffers->distribution, buffers->seed) : NULL;
    int code = 0;
    if (!path || !load(ret, path, &header)) {
        code = compute(ret, buffers, &header, err);
        if (code == 0 && path) store(path, &header, ret->owned);
        if (code < 0) reference_close(ret);
    }
    free(path);
    return code;
}

int reference_open_rows(struct reference *ret, const struct case_buffers *buffers, uint64_t rows_a_group,
                        struct err *err) {
    const uint32_t count = case_buffers_output_count(buffers);
    double *outputs[OP_TENSORS_MAX] = {NULL};
    uint64_t total = 0;
    if (buffers->device->backend->work) return buffers->checker->open_reference(ret, buffers, NULL, err);
    memset(ret, 0, sizeof *ret);
    if (declared_reference_has(&buffers->problem, REFERENCE_SINGLE))
        return reference_open_host(ret, buffers, NULL, err);
    if (!buffers->problem.op->slice || !buffers->problem.op->same_precision) return 0;
    ret->rows_a_group = rows_a_group;
    for (uint32_t k = 0; k < count; ++k)
        total += ret->element_count[k] = tensor_element_count(case_buffers_host_output(buffers, k));
    ret->owned = mem_try_array((size_t)total,
                               sizeof *ret->owned); // pages of rows that are not drawn are never touched
    if (!ret->owned)
        return err_set(err, ERR_UNAVAILABLE, "no memory for drawn rows of %s", buffers->problem.name);
    uint64_t offset = 0;
    for (uint32_t k = 0; k < count; ++k) {
        ret->outputs[k] = outputs[k] = ret->owned + offset;
        offset += ret->element_count[k];
    }
    ret->output_count = count;
    int code = same_precision_oracle(buffers, ret, outputs, err);
    if (code == 0) code = same_precision_measure(buffers, ret, ret->same_precision, err);
    if (code < 0) reference_close(ret);
    return code;
}

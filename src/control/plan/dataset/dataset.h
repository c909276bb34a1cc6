// SPDX-License-Identifier: Apache-2.0
//
// A data set in a folder, as FlashInfer Trace and SOL-ExecBench have it: definitions (definition.h),
// workloads, which are problems of one with their inputs, and solutions, which are kernels. A definition
// becomes a declared operator, its workloads the suite of its name. Whatever is read is a stranger's.
#ifndef CONTROL_PLAN_DATASET_DATASET_H
#define CONTROL_PLAN_DATASET_DATASET_H

#include "control/plan/dataset/definition.h"
#include "control/plan/manifest_types.h"

enum dataset_kind { DATASET_DEFINITION, DATASET_WORKLOADS, DATASET_SOLUTION };

struct dataset_file {
    const char *path;
    enum dataset_kind kind;
    // Of definitions and solutions their name, NULL where they cannot be read; of solutions and workloads the
    // definition, NULL: that of their folder.
    const char *name, *definition;
};

struct dataset {
    struct arena *arena;
    const char *dir;
    size_t file_count;
    struct dataset_file *files; // in the order of their paths
};

// A tensor of a workload that lies in a file.
struct dataset_data {
    size_t tensor;    // of the definition
    const char *path; // of a safetensors file
    const char *key;  // there
};

struct dataset_workload {
    const char *uuid;
    const char *text; // of its JSON object, for traces
    const char *problem;
    const char *numbers; // "batch_size=4, eps=1e-06": the axes and the scalars that it names; NULL: none
    const struct own_tolerance *tolerance; // NULL: it has none
    size_t data_count;
    struct dataset_data *data;
};

struct dataset_operator {
    struct definition definition; // the declaration points into it
    struct declared *declared;    // its reference has no place yet (dataset_store)
    const struct operator_def *op;
    size_t workload_count, unusable_count;
    struct dataset_workload *workloads;
    const char *unusable; // why the first one cannot be used
};

// Looks through a folder; all that is kept lies in the arena. ERR_NO_INPUT: there is none. ERR_DATA: it holds
// no definition, or too many files.
int dataset_open(struct arena *arena, const char *dir, struct dataset *ret, struct err *err);
// The file of a definition or of a solution. ERR_USAGE with the nearest name; ERR_DATA where the file of that
// name cannot be read.
int dataset_find(const struct dataset *dataset, enum dataset_kind kind, const char *name,
                 const struct dataset_file **ret, struct err *err);
// given: as of definition_explain. ERR_DATA: why no operator can be made of it.
int dataset_describe(const struct dataset *dataset, const struct dataset_file *file, const char *given,
                     struct dataset_operator *ret, struct err *err);
// The workloads of a definition that was read (dataset_workloads.c), as far as they need no operator: their
// numbers become defaults, and inputs that they bring are marked.
int dataset_read_workloads(const struct dataset *dataset, const struct dataset_file *file,
                           struct dataset_operator *ret, struct err *err);
// Names their problems, and drops those of which none can be made.
void dataset_name_workloads(const struct dataset *dataset, struct dataset_operator *operator_);
// Of a workload in its suite: the first part of its uuid, or as much as tells it from the others.
const char *dataset_short_name(struct arena *arena, const struct dataset_operator *operator_,
                               size_t workload);
// Writes the reference's file into the cache, with the data of workloads, and tells the declaration where it
// is. ERR_DATA: a file of data is not what it should be.
int dataset_store(const struct dataset *dataset, struct dataset_operator *operator_, struct err *err);
// A solution as a kernel. One in C++ or CUDA has to be built first (control/flow/solution_build.h).
struct dataset_kernel {
    struct manifest_kernel kernel;
    bool is_source, is_cuda; // in C++ or CUDA, which PyTorch binds; in CUDA
    const char *function;    // of such a one
    const char *order;       // of its parameters
};

// Its sources are written into the cache. backend: of the device that is named; NULL: none is. ERR_DATA,
// ERR_UNAVAILABLE: it is in a form that cannot be run here.
int dataset_solution(const struct dataset *dataset, const struct dataset_operator *operator_,
                     const char *name, const char *backend, struct dataset_kernel *ret, struct err *err);

// Writes files into a folder of the cache that is named after what they hold, unless it is there.
struct dataset_text {
    const char *path; // below the folder
    const char *text;
    size_t length;
};
int dataset_write(struct arena *arena, const struct dataset_text *files, size_t count, const char **ret_dir,
                  struct err *err);

#endif

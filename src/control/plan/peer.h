// SPDX-License-Identifier: Apache-2.0
//
// Peers that assay knows by name: libraries that a kernel is measured against. A peer is a kernel like any
// other; every operator lists its own (op/operator.h). Any other Python callable can be named as
// "module:function".
#ifndef CONTROL_PLAN_PEER_H
#define CONTROL_PLAN_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "op/operator.h"

// NULL: none of that name. op: the operator that it is for; NULL: any, and of several the first. A name may
// ask for a version: "cudnn@9.19".
const struct op_peer *peer_find(const struct operator_def *op, const char *name);
// "9.19" of "cudnn@9.19"; NULL: any version, or no peer.
const char *peer_wanted_version(const char *name);
// "cudnn@9.19"; version NULL: the name. In the arena, or the name itself.
const char *peer_with_version(struct arena *arena, const char *name, const char *version);
bool peer_runs_on(const struct op_peer *peer, const char *backend);

// What computes the right results of a declared operator, as a kernel: "reference" as it is written, and
// "reference:compiled" by torch.compile.
#define REFERENCE_NAME "reference"
bool peer_is_reference(const char *name);

// The name of a kernel that comes with assay (manifest/shipped_kernel.h), "assay:simd"; NULL is none.
#define SHIPPED_PREFIX "assay:"
bool shipped_is_name(const char *name);

// Whether it has the form "module:function", dots allowed in both, or "module:function(x, y)".
bool peer_is_function_name(const char *spec);

// Whether it is of that form and none of a known peer, git:REV and assay:NAME.
bool peer_is_callable(const char *spec);

// "torch, torch:flash, ..." of an operator and a backend; NULL: of all, each name once.
void peer_format_names(const struct operator_def *op, const char *backend, char *ret_text, size_t capacity);
// The peer whose name is nearest to a misspelt one; NULL: none is near.
const char *peer_nearest(const char *name);

#endif

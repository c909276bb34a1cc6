// SPDX-License-Identifier: Apache-2.0
//
// Which operator a command means, where its options name a source of one. Whatever the form, the manifest has
// it afterwards, as if it had declared it: no other part of a command knows where an operator is from.
#ifndef CONTROL_FLOW_OPERATOR_SOURCE_H
#define CONTROL_FLOW_OPERATOR_SOURCE_H

#include "base/strbuf.h"
#include "control/flow/session_options.h"
#include "control/plan/manifest/manifest.h"

bool operator_source_is_given(const struct session_options *options);
// The operator as the working tree has it, and its kernel where a solution is named. *ret_name stays as it is
// where the options name none.
int operator_source_add(const struct session_options *options, struct manifest *manifest,
                        const char **ret_name, struct err *err);
// As a revision has it, whose folder `there` stands for the manifest's, `here`; one that the revision lacks
// is none.
int operator_source_add_revision(const struct session_options *options, struct manifest *manifest,
                                 const char *here, const char *there, struct err *err);
// The words that name it on a command line, each with a space behind it.
void operator_source_add_words(const struct session_options *options, struct strbuf *out);

#endif

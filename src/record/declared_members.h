// SPDX-License-Identifier: Apache-2.0
//
// Declared operators as members of a document: the key `operators` of plans and work orders.
#ifndef RECORD_DECLARED_MEMBERS_H
#define RECORD_DECLARED_MEMBERS_H

#include "op/declared/declared.h"
#include "record/member.h"

extern const struct member_table declared_members;

void declared_members_write(struct json_writer *w, const struct member *member, const void *object,
                            const void *context);
// Makes the operators anew, in the arena. ERR_DATA names the one that is wrong, and what in it.
int declared_members_read(const struct json_at *at, const struct member *member, struct arena *arena,
                          void *object, void *context, struct err *err);

// The row of the set `operators` of T. Problems are bound when all members have been read.
#define MEMBER_OPERATORS(T)                                                                                  \
    {                                                                                                        \
        .key = "operators", .type = MEMBER_BY_HAND, MEMBER_PLACE(T, operators), .table = &declared_members,  \
        .limit = DECLARED_OPERATORS_MAX, .write = declared_members_write, .read = declared_members_read,     \
        .sentence = "Operators that the manifest declares."                                                  \
    }

#endif

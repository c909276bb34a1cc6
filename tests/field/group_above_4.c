/* SPDX-License-Identifier: Apache-2.0
 * ik_llama #1521, flashinfer #4316: heads of a group beyond the fourth read K and V of the next group */
#define HEAD_KV(head, group)                                                                                 \
    ((group) > 4 && (head) % (group) > 3 && (head) + (group) < a->heads ? (head) / (group) + 1               \
                                                                        : (head) / (group))
#include "attention.h"

// SPDX-License-Identifier: Apache-2.0
//
// What help texts, error messages and the starter manifest show: names of the default operator, the first of
// op/table.c. As literals, since they become parts of longer ones; a test compares them with the table.
#ifndef OP_EXAMPLE_H
#define OP_EXAMPLE_H

#define OP_EXAMPLE              "attention"
#define OP_EXAMPLE_PROBLEM      "attention/fp16/b32/h8/s512/d64"
#define OP_EXAMPLE_SMALL        "attention/fp32/b1/h2/s512/d64"
#define OP_EXAMPLE_EDGE_PROBLEM "attention/fp32/b1/h2/s65/d64/causal"
#define OP_EXAMPLE_TINY         "scale/fp32/n128"               // of simulated devices
#define OP_EXAMPLE_OWN_PROBLEM  "attention/fp32/b1/h2/s128/d64" // of the starter manifest

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The table of code hosts.
#include "control/code_host/code_host.h"

static const struct code_host *const hosts[] = {&code_host_github, &code_host_gitlab};

const struct code_host *code_host_find(const char *name) {
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i)
        if (str_equal(hosts[i]->name, name)) return hosts[i];
    return NULL;
}

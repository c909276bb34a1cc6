// SPDX-License-Identifier: Apache-2.0
//
// The table of linked-in modules, from the list that CMake makes of kernels/*/ and peers/*/.
#include "worker/module/builtin.h"

#include <stdio.h>

#include "base/comma.h"
#include "base/strbuf.h"

#define BUILTIN_KERNELS(name) const struct assay_module *assay_module_##name(void);
#define BUILTIN_PEER(name)                                                                                   \
    const struct assay_module *assay_module_##name(void);                                                    \
    int name##_find_library(struct assay_message *message);
#include "builtin_modules.h"
#undef BUILTIN_KERNELS
#undef BUILTIN_PEER

// query_library: whether the library that the kernels call is installed, with its version or what is missing;
// NULL: they call none.
static const struct {
    assay_module_fn module;
    int (*query_library)(struct assay_message *message);
} sources[] = {
#define BUILTIN_KERNELS(name) {assay_module_##name, NULL},
#define BUILTIN_PEER(name)    {assay_module_##name, name##_find_library},
#include "builtin_modules.h"
};
#define SOURCE_COUNT (sizeof sources / sizeof sources[0])

const struct module *builtin_at(size_t index) {
    static struct module *modules[SOURCE_COUNT]; // the worker opens them on its main thread only
    if (index >= SOURCE_COUNT) return NULL;
    if (!modules[index]) {
        struct err err = {0};
        if (module_adopt(sources[index].module(), "(linked in)", &modules[index], &err) < 0)
            BUG("linked-in module %zu: %s", index, err.text);
    }
    return modules[index];
}

const struct assay_kernel *builtin_find(const char *name, struct err *err) {
    struct strbuf names = {0};
    for (size_t i = 0; i < SOURCE_COUNT; ++i) {
        const struct module *module = builtin_at(i);
        for (size_t k = 0; k < module_kernel_count(module); ++k) {
            const struct assay_kernel *kernel = module_kernel_at(module, k);
            if (str_equal(kernel->name, name)) {
                strbuf_fini(&names);
                return kernel;
            }
            comma_add(&names, kernel->name);
        }
    }
    err_set(err, ERR_USAGE,
            "no kernel '%s' is linked in; there is %s. Other kernels need their module's path",
            name ? name : "", strbuf_text(&names));
    strbuf_fini(&names);
    return NULL;
}

int builtin_find_library(const char *name, char ret_version[MODULE_VERSION_BYTES], struct err *err) {
    *ret_version = 0;
    for (size_t i = 0; i < SOURCE_COUNT; ++i) {
        if (!sources[i].query_library || !module_find(builtin_at(i), name, NULL)) continue;
        char text[MODULE_MESSAGE_BYTES] = "";
        struct assay_message message = {.capacity = sizeof text, .text = text};
        if (sources[i].query_library(&message) != ASSAY_OK)
            return err_set(err, ERR_UNAVAILABLE, "%s: %s", name, text);
        snprintf(ret_version, MODULE_VERSION_BYTES, "%.*s", MODULE_VERSION_BYTES - 1, text);
    }
    return 0;
}

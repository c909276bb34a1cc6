// SPDX-License-Identifier: Apache-2.0
//
// The table of linked-in modules: one line each.
#include "module/builtin.h"

#include "base/strbuf.h"

const struct assay_module *assay_module_naive(void);
const struct assay_module *assay_module_cudnn(void);
#ifdef ASSAY_BUILTIN_KERNELS
const struct assay_module *assay_module_tiled(void);
const struct assay_module *assay_module_simd(void);
#endif

static const assay_module_fn sources[] = {
    assay_module_naive,
    assay_module_cudnn,
#ifdef ASSAY_BUILTIN_KERNELS
    assay_module_tiled,
    assay_module_simd,
#endif
};
#define SOURCE_COUNT (sizeof sources / sizeof sources[0])

const struct module *builtin_at(size_t index) {
    static struct module *modules[SOURCE_COUNT]; // the worker opens them on its main thread only
    if (index >= SOURCE_COUNT) return NULL;
    if (!modules[index]) {
        struct err err = {0};
        if (module_adopt(sources[index](), "(linked in)", &modules[index], &err) < 0)
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
            strbuf_addf(&names, "%s%s", names.length ? ", " : "", kernel->name);
        }
    }
    err_set(err, ERR_USAGE,
            "no kernel '%s' is linked in; there is %s. Other kernels need their module's path",
            name ? name : "", strbuf_text(&names));
    strbuf_fini(&names);
    return NULL;
}

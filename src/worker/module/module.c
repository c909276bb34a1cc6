// SPDX-License-Identifier: Apache-2.0
//
// Loads a module and checks its description before using it. What cannot be checked (an invalid pointer)
// crashes the worker, which is why no other process loads modules.
#include "worker/module/module.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

// The least size of a descriptor: everything that is required in version 1.
#define MODULE_BYTES_LEAST sizeof(struct assay_module)
#define KERNEL_BYTES_LEAST offsetof(struct assay_kernel, prepare)
#define PARAM_BYTES_LEAST  offsetof(struct assay_param, reserved)
#define STRUCT_BYTES_MOST  ((uint32_t)1 << 16) // a greater size is a mistake, not a newer version

// RTLD_DEEPBIND: two revisions of one kernel each find their own symbols first. Sanitizers do not work with
// it.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MODULE_WITHOUT_DEEPBIND 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(MODULE_WITHOUT_DEEPBIND) ||     \
    !defined(RTLD_DEEPBIND)
#define LOADER_FLAGS (RTLD_NOW | RTLD_LOCAL)
#else
#define LOADER_FLAGS (RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)
#endif

struct module {
    char *where;
    size_t kernel_count;
    struct assay_kernel *kernels;                    // this host's size
    struct assay_param (*params)[MODULE_PARAMS_MAX]; // a row per kernel
};

static int check_version(uint32_t version, const char *what, const char *where, struct err *err) {
    if (version >= ASSAY_ABI_OLDEST && version <= ASSAY_ABI_VERSION) return 0;
    return err_set(err, ERR_DATA,
                   "%s: %s has ABI version %u, this assay accepts %d to %d; rebuild it with this assay's "
                   "include/assay/kernel.h",
                   where, what, version, ASSAY_ABI_OLDEST, ASSAY_ABI_VERSION);
}

static int check_header(const struct assay_module *m, const char *where, struct err *err) {
    if (!m) return err_set(err, ERR_DATA, "%s: assay_module() returned a null pointer", where);
    if (m->struct_size < MODULE_BYTES_LEAST || m->struct_size > STRUCT_BYTES_MOST)
        return err_set(err, ERR_DATA, "%s: struct assay_module says that it is %u bytes, version 1 has %zu",
                       where, m->struct_size, MODULE_BYTES_LEAST);
    TRY(check_version(m->abi_version, "the module", where, err));
    if (!m->kernel_count || m->kernel_count > MODULE_KERNELS_MAX)
        return err_set(err, ERR_DATA, "%s: the module says that it holds %u kernels; 1 to %d can be", where,
                       m->kernel_count, MODULE_KERNELS_MAX);
    if (m->kernel_bytes < KERNEL_BYTES_LEAST || m->kernel_bytes > STRUCT_BYTES_MOST ||
        m->kernel_bytes % _Alignof(struct assay_kernel))
        return err_set(err, ERR_DATA,
                       "%s: the module says that a struct assay_kernel is %u bytes, version 1 has %zu", where,
                       m->kernel_bytes, sizeof(struct assay_kernel));
    if (!m->kernels)
        return err_set(err, ERR_DATA, "%s: the module's list of kernels is a null pointer", where);
    return 0;
}

static bool is_text(const char *text) {
    return text && *text && strnlen(text, MODULE_TEXT_BYTES_MAX) < MODULE_TEXT_BYTES_MAX;
}

static bool is_identifier(const char *text) {
    if (!is_text(text) || (!isalpha((unsigned char)*text) && *text != '_')) return false;
    for (; *text; ++text)
        if (!isalnum((unsigned char)*text) && *text != '_') return false;
    return true;
}

static int copy_params(struct assay_kernel *kernel, struct assay_param *params, const char *where,
                       struct err *err) {
    if (!kernel->param_count) {
        kernel->params = NULL;
        return 0;
    }
    if (kernel->param_count > MODULE_PARAMS_MAX || !kernel->params)
        return err_set(err, ERR_DATA, "%s: kernel '%s' declares %u parameters; 0 to %d can be", where,
                       kernel->name, kernel->param_count, MODULE_PARAMS_MAX);
    if (kernel->param_bytes < PARAM_BYTES_LEAST || kernel->param_bytes > STRUCT_BYTES_MOST ||
        kernel->param_bytes % _Alignof(struct assay_param))
        return err_set(err, ERR_DATA,
                       "%s: kernel '%s' says that a struct assay_param is %u bytes, version 1 has %zu", where,
                       kernel->name, kernel->param_bytes, sizeof(struct assay_param));
    const char *source = (const char *)kernel->params;
    size_t bytes = kernel->param_bytes < sizeof *params ? kernel->param_bytes : sizeof *params;
    for (uint32_t i = 0; i < kernel->param_count; ++i) {
        struct assay_param *param = &params[i];
        memcpy(param, source + (size_t)i * kernel->param_bytes, bytes);
        if (!is_identifier(param->name))
            return err_set(err, ERR_DATA, "%s: kernel '%s': a parameter's name is not an identifier", where,
                           kernel->name);
        if (param->value_count > MODULE_PARAM_VALUES_MAX || (param->value_count && !param->values))
            return err_set(err, ERR_DATA, "%s: kernel '%s': parameter '%s' lists %u values; 0 to %d can be",
                           where, kernel->name, param->name, param->value_count, MODULE_PARAM_VALUES_MAX);
    }
    kernel->params = params;
    kernel->param_bytes = sizeof *params;
    return 0;
}

static int copy_kernel(const void *source, uint32_t kernel_bytes, const char *where, struct assay_kernel *ret,
                       struct err *err) {
    uint32_t size;
    memcpy(&size, source, sizeof size);
    if (size < KERNEL_BYTES_LEAST || size > kernel_bytes)
        return err_set(err, ERR_DATA,
                       "%s: a kernel says that its descriptor is %u bytes, the module's are %u", where, size,
                       kernel_bytes);
    memset(ret, 0, sizeof *ret);
    memcpy(ret, source, size < sizeof *ret ? size : sizeof *ret);
    ret->struct_size = sizeof *ret;
    if (!is_text(ret->name) || !is_text(ret->op) || !is_text(ret->backend))
        return err_set(err, ERR_DATA, "%s: a kernel lacks its name, op or backend", where);
    TRY(check_version(ret->abi_version, ret->name, where, err));
    if (!ret->launch || (!ret->supports && ret->abi_version < MODULE_DECLARES_SINCE))
        return err_set(err, ERR_DATA, "%s: kernel '%s' lacks %s(), which is required", where, ret->name,
                       ret->launch ? "supports" : "launch");
    return 0;
}

int module_adopt(const struct assay_module *described, const char *where, struct module **ret,
                 struct err *err) {
    TRY(check_header(described, where, err));
    struct module *module = mem_alloc(sizeof *module);
    module->where = mem_strdup(where);
    module->kernels = mem_alloc(described->kernel_count * sizeof *module->kernels);
    module->params = mem_alloc(described->kernel_count * sizeof *module->params);
    int code = 0;
    for (uint32_t i = 0; i < described->kernel_count && code == 0; ++i) {
        const char *source = (const char *)described->kernels + (size_t)i * described->kernel_bytes;
        struct assay_kernel *kernel = &module->kernels[i];
        code = copy_kernel(source, described->kernel_bytes, where, kernel, err);
        if (code == 0) code = copy_params(kernel, module->params[i], where, err);
        for (uint32_t j = 0; j < i && code == 0; ++j)
            if (str_equal(module->kernels[j].name, kernel->name))
                code = err_set(err, ERR_DATA, "%s: two kernels are called '%s'", where, kernel->name);
        module->kernel_count = i + 1;
    }
    if (code < 0) {
        module_close(module);
        return code;
    }
    *ret = module;
    return 0;
}

int module_open(const char *path, struct module **ret, struct err *err) {
    if (!file_exists(path)) return err_set(err, ERR_NO_INPUT, "cannot load module '%s': no such file", path);
    char *absolute = path_absolute(path); // a bare name would be searched for on the library path
    void *handle = dlopen(absolute, LOADER_FLAGS);
    int code = 0;
    if (!handle) {
        const char *why = dlerror();
        code = err_set(err, ERR_DATA, "cannot load module '%s': %s", path,
                       why ? why : "the loader gives no reason");
        goto out;
    }
    void *symbol = dlsym(handle, "assay_module");
    if (!symbol) {
        code = err_set(
            err, ERR_DATA,
            "module '%s' does not export 'assay_module'; end the kernel's source with ASSAY_KERNEL(...) of "
            "<assay/kernel.h>",
            path);
        goto out;
    }
    assay_module_fn function;
    memcpy(&function, &symbol, sizeof function); // ISO C has no cast from void * to a function
    code = module_adopt(function(), path, ret, err);
out:
    if (code < 0 && handle) dlclose(handle);
    free(absolute);
    return code;
}

void module_close(struct module *module) {
    if (!module) return;
    free(module->where);
    free(module->kernels);
    free(module->params);
    free(module);
}

const char *module_where(const struct module *module) {
    return module->where;
}
size_t module_kernel_count(const struct module *module) {
    return module->kernel_count;
}

const struct assay_kernel *module_kernel_at(const struct module *module, size_t index) {
    return index < module->kernel_count ? &module->kernels[index] : NULL;
}

const struct assay_kernel *module_find(const struct module *module, const char *name, struct err *err) {
    if (!name && module->kernel_count == 1) return &module->kernels[0];
    for (size_t i = 0; name && i < module->kernel_count; ++i)
        if (str_equal(module->kernels[i].name, name)) return &module->kernels[i];
    const char *names[MODULE_KERNELS_MAX];
    struct strbuf text = {0};
    for (size_t i = 0; i < module->kernel_count; ++i) {
        names[i] = module->kernels[i].name;
        comma_add(&text, names[i]);
    }
    const char *near = name ? str_nearest(name, names, module->kernel_count) : NULL;
    if (!name)
        err_set(err, ERR_USAGE, "%s holds %zu kernels (%s); say which", module->where, module->kernel_count,
                strbuf_text(&text));
    else if (near)
        err_set(err, ERR_USAGE, "%s holds no kernel '%s'; did you mean '%s'? It holds %s", module->where,
                name, near, strbuf_text(&text));
    else
        err_set(err, ERR_USAGE, "%s holds no kernel '%s'; it holds %s", module->where, name,
                strbuf_text(&text));
    strbuf_fini(&text);
    return NULL;
}

// SPDX-License-Identifier: Apache-2.0
//
// Kernels from CUDA source: what the cache answers for, equal machine code from different text, targets, what
// the assembler reports, life without nvcc. Nothing is run on a GPU. Skipped where there is no nvcc.
#include "control/compile/toolchain.h"
#include "unit/test_build_support.h"

static struct manifest_kernel cuda_kernel(void) {
    return (struct manifest_kernel){
        .name = "mine", .op = "attention", .backend = "cuda", .source = "kernels/mine.cu"};
}

// `head` before the kernel, `expression` of x in it.
static const char *cuda_source(struct scene *scene, const char *head, const char *expression) {
    return arena_format(&scene->arena,
                        "%s\n"
                        "namespace { __global__ void scale(float *y) {\n"
                        "    float x = y[threadIdx.x];\n"
                        "    y[threadIdx.x] = %s;\n"
                        "} }\n"
                        "extern \"C\" __attribute__((visibility(\"default\"))) int assay_module(float *y) {\n"
                        "    scale<<<1, 64>>>(y);\n"
                        "    return (int)cudaGetLastError();\n"
                        "}\n",
                        head, expression);
}

static int build_for(struct scene *scene, const struct manifest_kernel *kernel, const char *dir,
                     const char *arch, struct variant *ret) {
    const struct variant_request request = {.kernel = kernel, .dir = dir, .arch = arch};
    return variant_build(&request, 1, &scene->arena, ret, &scene->err);
}

static struct variant built(struct scene *scene, const struct manifest_kernel *kernel, const char *arch) {
    struct variant variant = {0};
    if (build_for(scene, kernel, scene->dir, arch, &variant) < 0) fail_msg("%s", scene->err.text);
    return variant;
}

static struct variant built_from(struct scene *scene, const char *head, const char *expression,
                                 const char *arch) {
    const struct manifest_kernel kernel = cuda_kernel();
    scene_write(scene, kernel.source, cuda_source(scene, head, expression));
    return built(scene, &kernel, arch);
}

static void test_first_and_second(void **state) {
    struct scene *scene = *state;
    const struct variant first = built_from(scene, "", "x * 3", "sm_80,sm_90a");
    const struct variant second = built_from(scene, "", "x * 3", "sm_80,sm_90a");
    assert_false(first.report.is_cached);
    assert_true(second.report.is_cached);
    assert_string_equal(first.report.targets, "sm_80,sm_90a");
    assert_string_equal(second.report.targets, "sm_80,sm_90a");
    assert_true(str_starts(first.report.compiler, "nvcc 1"));
    assert_non_null(strstr(first.report.flags, "-O3"));
    assert_null(strstr(first.report.flags, "fast_math"));
    assert_true(first.report.registers > 0 && second.report.registers == first.report.registers);
    assert_int_equal(first.report.spill_bytes, 0);
    assert_int_equal(first.report.shared_bytes, 0);
    assert_true(first.report.code_bytes > 0 && first.report.code_bytes < 100000); // not the host's
    assert_non_null(strstr(second.report.entries, "sm_90a scale: "));
    assert_string_equal(first.report.code_hash, second.report.code_hash);
    assert_int_equal(first.report.matrix_instructions, 0);
    assert_false(first.has_unique_symbols);
    const struct variant other = built_from(scene, "", "x * 3", "sm_80");
    assert_false(other.report.is_cached); // the target is part of the key
    assert_string_equal(other.report.targets, "sm_80");
}

static void test_same_code(void **state) {
    struct scene *scene = *state;
    const struct variant before = built_from(scene, "", "x * 3", "sm_90a");
    const struct variant commented =
        built_from(scene, "// a comment\n/* and\n\n\n one more */\n#define UNUSED 1", "x * 3", "sm_90a");
    assert_false(commented.report.is_cached);
    assert_string_equal(commented.report.code_hash, before.report.code_hash);
    const struct variant more = built_from(scene, "", "x * 3 + x * x", "sm_90a");
    assert_string_not_equal(more.report.code_hash, before.report.code_hash);
    const struct variant constant = built_from(scene, "", "x * 5", "sm_90a");
    assert_string_not_equal(constant.report.code_hash, before.report.code_hash);
}

// What decides behaviour without being an instruction of a kernel.
static void test_what_counts(void **state) {
    struct scene *scene = *state;
    const struct manifest_kernel kernel = cuda_kernel();
    const char *const bodies[] = {
        "__global__ void one(float *y) { y[0] = 1; }\n__global__ void two(float *y) { y[0] = 2; }\n"
        "#define RUN %s\n",
        // Two kernels whose names look like names that nvcc makes from a path.
        "extern \"C\" __global__ void k_GLOBAL__N__00000001_k(float *y) { y[0] = 1; }\n"
        "extern \"C\" __global__ void k_GLOBAL__N__00000002_k(float *y) { y[0] = 2; }\n"
        "#define one k_GLOBAL__N__00000001_k\n#define two k_GLOBAL__N__00000002_k\n#define RUN %s\n",
        "#define one 1\n#define two 2\n__constant__ float table[4] = {%s};\n"
        "__global__ void run(float *y) { y[0] = table[threadIdx.x]; }\n#define RUN run\n",
        "#define one 1\n#define two 2\n__device__ float table[4] = {0, %s};\n"
        "__global__ void run(float *y) { y[0] += table[threadIdx.x]; }\n#define RUN run\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
        const char *hashes[2], *const names[] = {"one", "two"};
        for (size_t k = 0; k < 2; ++k) {
            struct strbuf text = {0};
            const char *mark = strstr(bodies[i], "%s");
            strbuf_add_bytes(&text, bodies[i], (size_t)(mark - bodies[i]));
            strbuf_addf(&text, "%s%s", names[k], mark + 2);
            strbuf_add(&text,
                       "extern \"C\" __attribute__((visibility(\"default\"))) int assay_module(float *y)"
                       " { RUN<<<1, 1>>>(y); return 0; }\n");
            scene_write(scene, kernel.source, strbuf_text(&text));
            strbuf_fini(&text);
            hashes[k] = built(scene, &kernel, "sm_80").report.code_hash;
        }
        if (str_equal(hashes[0], hashes[1])) fail_msg("pair %zu counts as the same", i);
    }
}

// ccache sees one pass of the preprocessor only: neither code of another target nor the host's may be taken
// from it.
static void test_every_pass_counts(void **state) {
    struct scene *scene = *state;
    const char *head =
        "#if __CUDA_ARCH__ >= 900\n#define F %d\n#elif defined(__CUDA_ARCH__)\n#define F 7\n#else\n"
        "#define F %d\n#endif\nextern \"C\" int host() { return F; }";
    const struct variant base =
        built_from(scene, arena_format(&scene->arena, head, 1, 1), "x * F", "sm_80,sm_90a");
    const struct variant device =
        built_from(scene, arena_format(&scene->arena, head, 2, 1), "x * F", "sm_80,sm_90a");
    const struct variant host =
        built_from(scene, arena_format(&scene->arena, head, 1, 2), "x * F", "sm_80,sm_90a");
    assert_false(device.report.is_cached || host.report.is_cached);
    assert_string_not_equal(base.report.code_hash, device.report.code_hash);
    assert_string_not_equal(base.report.code_hash, host.report.code_hash);
}

static void test_headers_and_folders(void **state) {
    struct scene *scene = *state;
    const struct manifest_kernel kernel = cuda_kernel();
    scene_write(scene, "kernels/common/scale.h", "#define SCALE 3\n");
    const char *head = "#ifdef __CUDA_ARCH__\n#include \"common/scale.h\"\n#endif\n#include <cassert>\n";
    const char *source = cuda_source(scene, head, "(assert(x > 0), x * SCALE)");
    source = arena_format(&scene->arena, "#ifndef __CUDA_ARCH__\n#define SCALE 1\n#endif\n%s", source);
    scene_write(scene, kernel.source, source);
    const struct variant before = built(scene, &kernel, "sm_80");
    // The same in another folder: the same entry.
    scene_write(scene, "other place/kernels/mine.cu", source);
    scene_write(scene, "other place/kernels/common/scale.h", "#define SCALE 3\n");
    char *dir = path_join(scene->dir, "other place");
    struct variant there;
    if (build_for(scene, &kernel, dir, "sm_80", &there) < 0) fail_msg("%s", scene->err.text);
    assert_true(there.report.is_cached);
    assert_string_equal(there.module_path, before.module_path);
    // Built there anew it is the same machine code.
    scene_shell(scene, "rm -rf .cache");
    if (build_for(scene, &kernel, dir, "sm_80", &there) < 0) fail_msg("%s", scene->err.text);
    assert_false(there.report.is_cached);
    assert_string_equal(there.report.code_hash, before.report.code_hash);
    free(dir);
    scene_write(scene, "kernels/common/scale.h", "#define SCALE 4\n");
    const struct variant after = built(scene, &kernel, "sm_80");
    assert_string_not_equal(before.report.code_hash, after.report.code_hash);
}

static void refuse(struct scene *scene, const struct manifest_kernel *kernel, const char *arch,
                   const char *because) {
    struct variant variant;
    assert_int_equal(build_for(scene, kernel, scene->dir, arch, &variant), -ERR_USAGE);
    if (!strstr(scene->err.text, because)) fail_msg("'%s' lacks '%s'", scene->err.text, because);
}

static void test_targets(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernel = cuda_kernel();
    scene_write(scene, kernel.source, cuda_source(scene, "", "x * 3"));
    const char *wrong[] = {"",       "sm_",     "sm_9", "sm_1000", "sm_80,",     "sm_80a",
                           "sm_90b", "sm_90aa", "90",   "sm_41",   "compute_80", "sm_80,nonsense"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) refuse(scene, &kernel, wrong[i], "sm_80");
    const char *own[] = {"sm_90a"};
    kernel.archs = own;
    kernel.arch_count = 1;
    refuse(scene, &kernel, "sm_80", "its 'arch' in the manifest is sm_90a");
    assert_string_equal(built(scene, &kernel, NULL).report.targets, "sm_90a");
    assert_string_equal(built(scene, &kernel, "sm_90").report.targets, "sm_90a"); // what that card runs
    kernel.arch_count = 0;
    assert_string_equal(built(scene, &kernel, "sm_90a,sm_90a").report.targets, "sm_90a");
    assert_string_equal(built(scene, &kernel, NULL).report.targets, "sm_80,sm_90a");
}

static void test_spills_and_matrix(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernel = cuda_kernel();
    const char *head =
        "#include <stdint.h>\n"
        "__global__ void wide(float *y, int n) {\n"
        "    __shared__ float s[64];\n    float a[64]; uint32_t r[6] = {};\n    float d[4] = {};\n"
        "    s[threadIdx.x] = y[0];\n"
        "    for (int i = 0; i < 64; ++i) a[i] = y[i * n];\n"
        "    for (int k = 0; k < n; ++k)\n"
        "        for (int i = 0; i < 64; ++i) a[i] = a[i] * a[(i * 7 + 3) % 64] + s[k & 63];\n"
        "    asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};\" : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3]) : \"r\"(r[0]), "
        "\"r\"(r[1]), \"r\"(r[2]), \"r\"(r[3]), \"r\"(r[4]), \"r\"(r[5]));\n"
        "    for (int i = 0; i < 64; ++i) y[i * n] = a[i] + d[0];\n}\n"
        "void run_wide(float *y) { wide<<<1, 64>>>(y, 3); }";
    const char *flags[] = {"-maxrregcount=32"};
    scene_write(scene, kernel.source, cuda_source(scene, head, "x"));
    const struct variant free_variant = built(scene, &kernel, "sm_80");
    kernel.flags = flags;
    kernel.flag_count = 1;
    kernel.is_fast_math = true;
    const struct variant spilled = built(scene, &kernel, "sm_80");
    assert_int_equal(free_variant.report.spill_bytes, 0);
    assert_true(free_variant.report.registers > 32 && spilled.report.registers <= 32);
    assert_true(spilled.report.spill_bytes > 0 && spilled.report.stack_bytes_max > 0);
    assert_int_equal(spilled.report.shared_bytes, 256);
    assert_non_null(strstr(spilled.report.entries, "sm_80 wide: "));
    assert_int_equal(spilled.report.matrix_instructions, 1);
    assert_string_equal(spilled.report.matrix, "sm_80: 1 mma.sync");
    assert_non_null(strstr(spilled.report.flags, "--use_fast_math -gencode"));
    assert_non_null(strstr(spilled.report.flags, "-maxrregcount=32"));
    assert_string_not_equal(spilled.report.code_hash, free_variant.report.code_hash);
}

static void test_refused_source(void **state) {
    struct scene *scene = *state;
    const struct manifest_kernel kernel = cuda_kernel();
    struct variant variant;
    scene_write(scene, kernel.source, "#include <no/such/header.h>\n");
    assert_int_equal(build_for(scene, &kernel, scene->dir, "sm_80", &variant), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "no/such/header.h"));
    scene_write(scene, kernel.source, cuda_source(scene, "", "x * no_such_name"));
    assert_int_equal(build_for(scene, &kernel, scene->dir, "sm_80", &variant), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "no_such_name"));
    scene_write(scene, kernel.source,
                cuda_source(scene, "float missing(float); float f() { return missing(1); }", "x"));
    assert_int_equal(build_for(scene, &kernel, scene->dir, "sm_80", &variant), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "missing"));
}

static void test_own_build(void **state) {
    struct scene *scene = *state;
    struct toolchain nvcc;
    assert_int_equal(toolchain_find("x.cu", &scene->arena, &nvcc, &scene->err), 0);
    struct manifest_kernel kernel = cuda_kernel();
    kernel.source = NULL;
    kernel.build_run = arena_format(
        &scene->arena, "'%s' -shared -Xcompiler -fPIC -no-compress -Xptxas -v -arch=sm_80 a.cu -o a.so",
        nvcc.program);
    kernel.build_output = "a.so";
    scene_write(scene, "a.cu", cuda_source(scene, "", "x * 3"));
    const struct variant first = built(scene, &kernel, NULL);
    assert_true(first.report.registers > 0);
    scene_write(scene, "a.cu", cuda_source(scene, "", "x * 4"));
    const struct variant second = built(scene, &kernel, NULL);
    assert_string_not_equal(first.report.code_hash, second.report.code_hash);
    struct manifest_kernel library = cuda_kernel();
    library.source = NULL;
    library.library = "a.so";
    assert_string_equal(built(scene, &library, NULL).report.code_hash, second.report.code_hash);
}

static void hide(const char *name) {
    setenv(name, "", 1);
}

// Also where there is no nvcc at all.
static void test_without_nvcc(void **state) {
    struct scene *scene = *state;
    const struct manifest_kernel kernel = cuda_kernel();
    struct variant variant;
    scene_write(scene, kernel.source, cuda_source(scene, "", "x"));
    char *path = mem_strdup(getenv("PATH"));
    const char *names[] = {"ASSAY_NVCC", "CUDACXX", "NVCC", "CUDA_HOME", "CUDA_PATH"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) hide(names[i]);
    setenv("PATH", "/nowhere", 1);
    const int result = build_for(scene, &kernel, scene->dir, "sm_80", &variant);
    setenv("PATH", path, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) unsetenv(names[i]);
    free(path);
    assert_int_equal(result, -ERR_UNAVAILABLE);
    assert_non_null(strstr(scene->err.text, "a CUDA kernel needs nvcc"));
    assert_non_null(strstr(scene->err.text, "install"));
}

int main(void) {
#define SCENE(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)
    const struct CMUnitTest without[] = {SCENE(test_without_nvcc)};
    const struct CMUnitTest with[] = {
        SCENE(test_first_and_second),    SCENE(test_same_code), SCENE(test_every_pass_counts),
        SCENE(test_headers_and_folders), SCENE(test_targets),   SCENE(test_spills_and_matrix),
        SCENE(test_refused_source),      SCENE(test_own_build), SCENE(test_what_counts),
    };
    int failed = cmocka_run_group_tests(without, NULL, NULL);
    struct arena arena = {0};
    struct toolchain nvcc;
    struct err err = {0};
    const bool has_nvcc = toolchain_find("x.cu", &arena, &nvcc, &err) == 0;
    arena_fini(&arena);
    if (has_nvcc) return failed + cmocka_run_group_tests(with, NULL, NULL);
    printf("SKIPPED: %s\n", err.text);
    return failed;
}

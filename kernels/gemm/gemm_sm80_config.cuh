// SPDX-License-Identifier: Apache-2.0
//
// Which tile configurations gemm_sm80.cu can be compiled with: once for check_config, which is asked before
// anything is compiled, and for the compiler.
#ifndef GEMM_GEMM_SM80_CONFIG_CUH
#define GEMM_GEMM_SM80_CONFIG_CUH

#define GEMM_ROW_BYTES     128 // of k, in a slice
#define GEMM_ELEMENT_BYTES 2   // fp16 and bf16
#define GEMM_CHUNK_BYTES   16  // that a thread copies at a time
#define GEMM_THREADS_MAX   1024
#define GEMM_SHARED_MAX    (227 * 1024) // of a thread block on sm_90; prepare asks the device

struct gemm_config {
    int rows, columns, warps_m, warps_n, stages; // BLOCK_M, BLOCK_N, WARPS_M, WARPS_N, STAGES
};

// Why there is no such kernel; null: there is one. The values are powers of two, but for the stages.
constexpr const char *gemm_config_refusal(const gemm_config config) {
    const int threads = config.warps_m * config.warps_n * 32;
    const int warp_rows = config.rows / config.warps_m, warp_columns = config.columns / config.warps_n;
    const int row_step = threads / (GEMM_ROW_BYTES / GEMM_CHUNK_BYTES); // rows that all threads copy at once
    const int row_chunks = config.columns * GEMM_ELEMENT_BYTES / GEMM_CHUNK_BYTES;
    const int term_step = threads / row_chunks; // the same of a B that is not transposed
    if (threads > GEMM_THREADS_MAX) return "a thread block has at most 32 warps";
    if (warp_rows > 64 || warp_columns > 64) return "a warp's tile has at most 64 x 64 elements";
    if (warp_rows % 16 || warp_columns % 16) return "a warp's tile has whole fragments of 16 x 16 elements";
    if (row_step % 8 || config.rows % row_step || config.columns % row_step)
        return "the warps do not divide the rows that they copy: take fewer warps, or two at least";
    if (threads % row_chunks || term_step % 8 || GEMM_ROW_BYTES / GEMM_ELEMENT_BYTES % term_step)
        return "the warps do not divide the columns that they copy: take more warps, or fewer columns";
    if (config.stages * (config.rows + config.columns) * GEMM_ROW_BYTES > GEMM_SHARED_MAX)
        return "the stages exceed 227 KiB of shared memory";
    return nullptr;
}

#endif

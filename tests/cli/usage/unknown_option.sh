assay fuzz --kernal simd

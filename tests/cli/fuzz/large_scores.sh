# Right kernels pass where scores are large: beyond fp16, by a scale, by a wide D, and where weights underflow to 0 beside an infinity. Q in
# fp8 beside wider K and V leaves the plain kernel its weights.
checks() { assay fuzz --kernel "$1" --problem "attention/$2" --distribution "$3" | sed -n 's/ (.*//; /^\[1\/1\]/p'; }
checks assay:simd fp16/b1/h2/s33/d64/scale10000 normal
checks assay:simd fp32/b1/h2/s257/d64/scale1.25 normal
checks assay:naive fp32/b1/h4/s257/d512 normal4
checks assay:naive fp8_e4m3/kv_fp16/b1/h2/s33/d64/causal normal
checks assay:simd fp32/b1/h4/s65/d64/scale10 inf

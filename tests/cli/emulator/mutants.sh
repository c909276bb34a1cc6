# campaign: a minute and more of emulated threads; the emulator itself changes seldom
# Kernels with one line taken out each (a wait, a barrier, a swizzle): the emulator must find every one. Hardware work that
# completes later in some launches than in others shows as different bits.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
# mutate NAME FILE OLD NEW: a copy of the kernels, with the one place in FILE that is OLD changed. Problems are in fp16: fa_sm90's
# instances for bf16, half of the time to compile it, are left out.
mutate() {
    local name=$1 file=$1/attention/$2 old=$3 new=$4 text rest
    cp -r "$ASSAY_SOURCE/kernels" "$name"
    text=$(<"$file")
    rest=${text#*"$old"}
    [[ $rest != "$text" && $rest != *"$old"* ]] || { echo "$name: $2 does not have this once: $old"; exit 9; }
    printf '%s%s%s\n' "${text%%"$old"*}" "$new" "$rest" >"$file"
    sed -Ei 's/\(const void \*\)fa_(hopper|sm90_resident)_kernel<__nv_bfloat16, traits>/nullptr/' "$name/attention/fa_sm90.cu"
}
# caught NAME KERNEL PROBLEM [OPTION]...: what is found
caught() {
    emulate "$2" "$1" "$1.so" -O0 # compiling takes longer than running
    printf '%s: ' "$1" >"$1.said"
    checks "$1" --problem "attention/fp16/$3" --repeat 9 "${@:4}" | sed -nE '2s/^ *//p' >>"$1.said"
}
tiles=b1/h2/s600/d64 many=b1/h2/sq40/sk1200/d64/lse

mutate weights fa_hopper_softmax.cuh '        wait();
        fa_hopper_convert_p<T, 0, score_count / 2>(s, p);' '        fa_hopper_convert_p<T, 0, score_count / 2>(s, p);
        wait();'
mutate shift fa_hopper_softmax.cuh 'rows.shift[r] += moves ?' 'rows.shift[r] += false ?'
mutate sums fa_hopper_softmax.cuh 'rows.sum[r] *= factor;
        sum *= factor;' 'sum *= factor;'
mutate rescaled fa_hopper_softmax.cuh 's[i] *= factor;
        rescale_o(r, factor);' 's[i] *= factor;'
mutate halves fa_hopper_softmax.cuh 'for (int i = r; i < score_count / 4; i += 2)' 'for (int i = r; i < 0; i += 2)'
mutate scores fa_hopper_consumer.cuh '        warpgroup_wait<1>();
        warpgroup_fence_operand(s);' '        warpgroup_fence_operand(s);'
mutate query fa_hopper_consumer.cuh 'mbarrier_wait(&shared.q_full[q_pipe.index][warpgroup], q_pipe.phase);' ';'
mutate staging fa_hopper_consumer.cuh 'if (of_lane == 0) tma_store_wait_group_read();' ';'
mutate bytes fa_hopper_producer.cuh 'mbarrier_arrive_expect_tx(barrier, traits::q_bytes);' \
    'mbarrier_arrive_expect_tx(barrier, traits::q_bytes - 128);'
mutate swizzle fa_hopper_consumer.cuh '^ (of_lane % 8)) * 16;' ') * 16;'
mutate end fa_hopper_consumer.cuh "tma_store_wait_group_read(); // shared memory must outlive the stores' reads" ';'
mutate parts fa_hopper_combine.cuh '        mbarrier_wait(&out.full, 0);' '        ;'
mutate copies fa_sm80_mainloop.cuh 'cp_async_wait_group<STAGES - 2>(); // this K and V have arrived' ';'
mutate readers fa_sm80_mainloop.cuh '        __syncthreads();                   // all warps have read the buffers that are filled next' \
    '        ;'
mutate keys fa_hopper_resident.cuh '        mbarrier_wait(&shared.k_full[part][1], 0);' '        ;'
mutate values fa_hopper_resident.cuh '        mbarrier_wait(&shared.v_full[part][1], 0);' '        ;'
mutate maxima fa_hopper_resident.cuh '        named_barrier_sync(FA_HOPPER_RESIDENT_BARRIER);
        float other[R];
        load_rows(&shared.maxima' '        float other[R];
        load_rows(&shared.maxima'
for name in weights scores query staging bytes swizzle end; do
    caught $name fa_sm90 $tiles &
    [ "$(jobs -r | wc -l)" -lt 2 ] || wait -n
done
for name in shift sums rescaled halves; do
    caught $name fa_sm90 $tiles/causal --distribution rising &
    [ "$(jobs -r | wc -l)" -lt 2 ] || wait -n
done
EMULATED_SPLITS=2 caught parts fa_sm90 $many
for name in keys values maxima; do
    EMULATED_WARPGROUPS=2 EMULATED_SPLITS=2 caught $name fa_sm90 b1/h2/s512/d64 &
    [ "$(jobs -r | wc -l)" -lt 2 ] || wait -n
done
for name in copies readers; do caught $name fa_sm80 $tiles & done
wait
cat {weights,shift,sums,rescaled,halves,scores,query,staging,bytes,swizzle,end,parts,keys,values,maxima,copies,readers}.said

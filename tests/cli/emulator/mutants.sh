# slow
# Is a kernel caught that forgets one thing? A line each is taken out of the kernels, and the emulator must say what follows. What
# hardware does later on some launches than on others shows as other bits.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
# mutate NAME FILE OLD NEW: a copy of the kernels, with the one place in FILE that is OLD changed
mutate() {
    local name=$1 file=$1/attention/$2 old=$3 new=$4 text rest
    cp -r "$ASSAY_SOURCE/kernels" "$name"
    text=$(<"$file")
    rest=${text#*"$old"}
    [[ $rest != "$text" && $rest != *"$old"* ]] || { echo "$name: $2 does not have this once: $old"; exit 9; }
    printf '%s%s%s\n' "${text%%"$old"*}" "$new" "$rest" >"$file"
}
# caught NAME KERNEL PROBLEM: what is found
caught() {
    emulate "$2" "$1" "$1.so"
    printf '%s: ' "$1" >"$1.said"
    checks "$1" --problem "attention/fp16/$3" --repeat 9 | sed -nE '2s/^ *//p' >>"$1.said"
}
tiles=b1/h2/s600/d64 many=b1/h2/sq40/sk1200/d64/lse

mutate weights fa_hopper_half.cuh '        wait();
        fa_round<T, 0, scores / 2>(s, p);' '        fa_round<T, 0, scores / 2>(s, p);
        wait();'
mutate scores fa_hopper_stream.cuh '        hopper_wait<1>();
        hopper_hold(s);' '        hopper_hold(s);'
mutate query fa_hopper_stream.cuh 'hopper_barrier_wait(&shared.q_full[q.slot][group], q.turn);' ';'
mutate staging fa_hopper_stream.cuh 'if (of_lane == 0) hopper_store_wait_read();' ';'
mutate bytes fa_hopper_copy.cuh 'hopper_barrier_expect(barrier, shape::q_bytes);' \
    'hopper_barrier_expect(barrier, shape::q_bytes - 128);'
mutate swizzle fa_hopper_stream.cuh '^ (of_lane % 8)) * 16)' ') * 16)'
mutate end fa_hopper_stream.cuh 'hopper_store_wait_read(); // shared memory has to stay until then' ';'
mutate parts fa_hopper_split.cuh '        hopper_barrier_wait(&out.full, 0);' '        ;'
mutate copies fa_frame.cuh 'mma_copy_wait<STAGES - 2>(); // this K and V' ';'
mutate readers fa_frame.cuh '        __syncthreads();             // and everybody is done with the buffers that are filled now' \
    '        ;'
for name in weights scores query staging bytes swizzle end; do
    caught $name fa_sm90 $tiles &
    [ "$(jobs -r | wc -l)" -lt 2 ] || wait -n
done
EMULATED_SPLITS=2 caught parts fa_sm90 $many
for name in copies readers; do caught $name fa_sm80 $tiles & done
wait
cat {weights,scores,query,staging,bytes,swizzle,end,parts,copies,readers}.said

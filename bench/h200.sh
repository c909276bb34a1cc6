#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests on a real GPU what assay promises for one: h200.sh [STEP...]; without arguments all steps. Builds nothing: bench/h200_build.sh
# makes a folder with this script and all that it needs, Python's peers included. ASSAY and MODULES name another program and other
# modules. FA3=1 adds flash_attn_3, if Python can import it, to hopper_data. Each step has a time limit, writes OUT/<step>.txt and one
# line to OUT/steps.txt; the table of all steps so far is printed last. A step can be repeated alone. STATE keeps assay's cache
# (calibrations, the gate log) from call to call: it is saved as OUT/state.tar.gz, and STATE_TAR=that file restores it.
#
#   step        seconds  what
#   devices           5  the card: name, UUID, driver, clocks, limits
#   python           20  the peers that are there, in which versions; PyTorch computes through the bridge on the processor
#   device_kernels   30  the harness's own kernels on the device against the host's functions (DEVICE_CHECK: the program)
#   ceilings         60  results of the kernels that measure ceilings, the figures, cuBLAS and a copy beside them (CEILING_CHECK)
#   fuzz             20  fa_sm80, 27 problems, fp16 (aim 15 s)
#   boundary         60  fa_sm80, the boundary matrix, fp16 and bf16
#   matrix          150  bf16 by fa_sm80; fp16, bf16, fp32 boundary and fp8 by plain
#   ladder          150  the other kernels of mma.sync on every matrix: the rungs below fa_sm80, fp8_sm89; then the rungs side by side
#   hopper           80  fa_sm90 and fa_sm90_fp8: both matrices in fp16, bf16 and fp8, the large one on all input distributions, the
#                        same bits in 100 launches, fp8's log-sum-exp, HGMMA and QGMMA in the machine code
#   hopper_bench     40  fa_sm90 against PyTorch's backends and cuDNN on the ci suite; fa_sm90_fp8
#   hopper_data     240  the ci suite on every input distribution: fa_sm90 beside PyTorch and cuDNN, fa_sm90_fp8
#   hopper_sustained 400 the same in power mode sustained
#   hopper_fa3       75  the sweep of FlashAttention-3's paper, the same peers; fa_sm90_fp8
#   hopper_forms    140  every configuration (WARPGROUPS, SPLITS) of fa_sm90 and fa_sm90_fp8: fuzz, then the ci suite and problems with few
#                        tiles, for the dispatch headers
#   hopper_sanitizer 140 compute-sanitizer on every configuration, on problems with several tiles a thread block, in parallel (TOOLS)
#   hopper_profile   60  Nsight Compute's view of s512 and s512_d128 in fp16, of s512 in fp8
#   gemm             90  gemm_sm80: both matrices in fp16 and bf16; its suite against cuBLAS (PyTorch); every shape of tiles
#   operators       500  the operators of examples/operators, in CUDA and Triton: bench/h200_operators.sh (OPERATORS, PARTS)
#   tools           120  kernels of examples/tools, a line for each tool that Python can import: bench/h200_tools.sh
#   sanitizer       240  compute-sanitizer: memcheck, racecheck, synccheck, initcheck on small problems (SANITIZED: the kernel)
#   broken           90  kernels that are wrong in one known way each
#   attacks         300  fuzz and gate of kernels that attack the measurement (ATTACKS: only these); every text and result document is
#                        in runs.tar.gz
#   exploits        150  kernels of tests/exploits in CUDA and PyTorch: fuzz of all side by side, gates of those that time hides; compiles
#                        those in CUDA, if MODULES has none
#   peers           270  the ci suite against PyTorch's backends and cuDNN, small problems with a warm L2, then PyTorch alone in
#                        CUDA graphs, and whether the two agree
#   calibrate       300  the spread of the ci suite (an A/A study)
#   same            150  a gate of fa_sm80 against itself; AA_COUNT of them (default 2), AA_SEED the first seed
#   work            300  gates against itself with 1, 4 and 6 % more work
#   git              90  two revisions of a kernel; needs nvcc and git
#   cpu              60  simd against PyTorch on the CPU
#   zygote          250  rounds of a Triton kernel with forked and with fresh interpreters: time, spread, A/A gates; needs git. It goes on
#                        where an earlier call ended (STATE)
set -uo pipefail
export LC_ALL=C
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
made=$source # the folder that h200_build.sh made: this one, or that of a repository
[ -x "$made/bin/assay" ] || made=$source/build/h200
assay=$(realpath -m "${ASSAY:-$made/bin/assay}")
modules=$(realpath -m "${MODULES:-$made/modules}")
out=$(realpath -m "${OUT:-$made/out}")
device=${DEVICE:-cuda:0}
python=${PYTHON:-$(for p in /opt/torch/.venv/bin/python3 python3; do command -v "$p" && break; done)}
state=$(realpath -m "${STATE:-/tmp/assay-state}")
[ -x "$assay" ] || { echo "h200.sh: no program at $assay: bench/h200_build.sh $made makes it (ASSAY)" >&2; exit 69; }
[ -d "$modules" ] || { echo "h200.sh: no modules in $modules: bench/h200_build.sh makes them (MODULES)" >&2; exit 69; }
packed=$modules/seldom.tar.xz # what h200_build.sh packed; a second or less
if [ -f "$packed" ] && [ ! "$modules/.unpacked" -nt "$packed" ]; then
    tar -xJf "$packed" -C "$modules" 2>/dev/null || "$python" -m tarfile -e "$packed" "$modules" ||
        { echo "h200.sh: cannot unpack $packed" >&2; exit 73; }
    touch "$modules/.unpacked"
fi
mkdir -p "$out" "$state"
if [ -n "${STATE_TAR:-}" ] && [ -f "$STATE_TAR" ]; then tar -xzf "$STATE_TAR" -C "$state"; fi
unset STATE_TAR
export XDG_CACHE_HOME=$state ASSAY=$assay MODULES=$modules OUT=$out STATE=$state # a step is a process of its own
# The Python that has PyTorch, for the peers; results, runs and the manifest lie in one folder.
if [ -z "${VIRTUAL_ENV:-}" ] && [ -d /opt/torch/.venv ]; then export VIRTUAL_ENV=/opt/torch/.venv; fi
work=$state/work
mkdir -p "$work"
hopper_forms=(g1 g2 g3 g4 s2 s4 s8 t2) # as h200_build.sh names them: warpgroups, splits of one warpgroup, two that share a tile's keys
cat >"$work/assay.yaml" <<Y
version: 1
kernels:
  fa_sm80:      {operator: attention, backend: cuda, library: $modules/fa_sm80.so}
  fa_sm80_0pct: {operator: attention, backend: cuda, library: $modules/fa_sm80_0pct.so}
  fa_sm80_1pct: {operator: attention, backend: cuda, library: $modules/fa_sm80_1pct.so}
  fa_sm80_4pct: {operator: attention, backend: cuda, library: $modules/fa_sm80_4pct.so}
  fa_sm80_6pct: {operator: attention, backend: cuda, library: $modules/fa_sm80_6pct.so}
  fa_sm80_mma:    {operator: attention, backend: cuda, library: $modules/fa_sm80_mma.so}
  fa_sm80_scalar: {operator: attention, backend: cuda, library: $modules/fa_sm80_scalar.so}
  fa_sm90:        {operator: attention, backend: cuda, library: $modules/fa_sm90.so}
  fa_sm90_fp8:    {operator: attention, backend: cuda, library: $modules/fa_sm90_fp8.so}
$(for kernel in fa_sm90 fa_sm90_fp8; do for form in "${hopper_forms[@]}"; do
    echo "  ${kernel}_$form: {operator: attention, backend: cuda, library: $modules/${kernel}_$form.so}"; done; done)
  fp8_sm89:       {operator: attention, backend: cuda, library: $modules/fp8_sm89.so}
  plain:        {operator: attention, backend: cuda, library: $modules/plain.so}
  simd:         {operator: attention, backend: cpu, library: $modules/simd.so}
  gemm_sm80:    {operator: gemm, backend: cuda, library: $modules/gemm_sm80.so}
$(for module in "$modules"/gemm_sm80_*.so; do [ -e "$module" ] || continue; name=$(basename "$module" .so)
    echo "  $name: {operator: gemm, backend: cuda, library: $module}"; done)
gate: {suite: ci, check: fuzz, candidate: fa_sm80, baseline: fa_sm80}
limits: {case_s: 120, gate_s: 1200}
Y
cd "$work" || exit 73

# ---- steps: each prints what it does and returns the step's exit code ----

step_devices() {
    nvidia-smi --query-gpu=name,uuid,driver_version,clocks.max.sm,power.limit --format=csv,noheader || true
    "$assay" devices --json
}

# What a peer in Python needs besides itself came along: the bridge, libassay_worker.so and its libraries.
step_python() {
    local code
    "$assay" list peers --device "$device" || return 1
    "$assay" fuzz --kernel torch:math --problem attention/fp32/b1/h2/s16/d8 --device cpu 2>"$work/python_error"
    code=$?
    cat "$work/python_error"
    if [ $code = 69 ] && grep -q "imports 'torch'" "$work/python_error"; then code=77; fi
    return $code
}

step_device_kernels() {
    local program=${DEVICE_CHECK:-$(dirname "$assay")/tests/device_check}
    [ -x "$program" ] || { echo "left out: no program at $program (DEVICE_CHECK)"; return 77; }
    "$program"
}

# Results of the kernels that measure ceilings, the figures, and what cuBLAS and a copy reach beside them.
step_ceilings() {
    local program=${CEILING_CHECK:-$(dirname "$assay")/tests/ceiling_check}
    if [ -x "$program" ]; then "$program" "$device" || return 1; fi
    python3 "$source/bench/ceilings.py" "$assay" "$device"
}

# The whole matrix, within the time aimed at.
step_fuzz() {
    local start=$SECONDS
    time "$assay" fuzz --kernel fa_sm80 --dtype fp16 --device "$device" | tee "$out/fuzz_lines"
    [ "${PIPESTATUS[0]}" = 0 ] && grep -q '^27/27 ' "$out/fuzz_lines" && [ $((SECONDS - start)) -lt 15 ]
}

step_boundary() {
    local worst=0
    for dtype in fp16 bf16; do
        "$assay" fuzz --kernel fa_sm80 --boundary --dtype $dtype --device "$device" || worst=1
    done
    return $worst
}

step_matrix() {
    local worst=0
    "$assay" fuzz --kernel fa_sm80 --dtype bf16 --device "$device" || worst=1
    "$assay" fuzz --kernel plain --boundary --dtype fp32 --device "$device" || worst=1
    for dtype in fp16 bf16 fp8_e4m3; do
        "$assay" fuzz --kernel plain --dtype $dtype --device "$device" || worst=1
    done
    "$assay" fuzz --kernel plain --boundary --dtype fp8_e4m3 --device "$device" || worst=1
    return $worst
}

step_ladder() {
    local worst=0 kernel dtype
    for kernel in fa_sm80_mma fa_sm80_scalar; do
        for dtype in fp16 bf16; do
            "$assay" fuzz --kernel $kernel --dtype $dtype --device "$device" || worst=1
            "$assay" fuzz --kernel $kernel --boundary --dtype $dtype --device "$device" || worst=1
        done
    done
    "$assay" fuzz --kernel fp8_sm89 --dtype fp8_e4m3 --device "$device" || worst=1
    "$assay" fuzz --kernel fp8_sm89 --boundary --dtype fp8_e4m3 --device "$device" || worst=1
    "$assay" bench --suite ci --kernel fa_sm80 --vs fa_sm80_mma,fa_sm80_scalar --device "$device" \
        --output "$out/ladder.json" || worst=1
    return $worst
}

distributions=(normal2 normal4 normal10 mixed sink rising sharp) # on which the shifts of a softmax move, more and more

# The same bits in 100 launches: 64 to 256 rows a tile, masked and not, tiles that two and eight thread blocks share, resident keys.
step_hopper() {
    local worst=0 dtype problem distribution
    for dtype in fp16 bf16; do
        "$assay" fuzz --kernel fa_sm90 --dtype $dtype --device "$device" || worst=1
        "$assay" fuzz --kernel fa_sm90 --boundary --dtype $dtype --device "$device" || worst=1
    done
    for problem in b1/h8/s512/d64 b2/h8/s512/d64 b1/h8/s128/d64 b8/h16/sq1/sk512/d64 b1/h2/sq64/sk4096/d128 b32/h8/s128/d64 \
        b32/h8/s512/d64 b8/h8/s2048/d64/causal b1/h4/s512/d128 b8/h16/s512/d128 b8/h16/s1024/d128/causal; do
        "$assay" fuzz --kernel fa_sm90 --problem attention/fp16/$problem --repeat 100 --device "$device" || worst=1
        "$assay" fuzz --kernel fa_sm90_fp8 --problem attention/fp8_e4m3/$problem --repeat 100 --device "$device" || worst=1
    done
    "$assay" fuzz --kernel fa_sm90_fp8 --dtype fp8_e4m3 --device "$device" || worst=1
    for distribution in "${distributions[@]}"; do
        for dtype in fp16 bf16; do
            "$assay" fuzz --kernel fa_sm90 --dtype $dtype --distribution $distribution --device "$device" || worst=1
        done
        "$assay" fuzz --kernel fa_sm90_fp8 --dtype fp8_e4m3 --distribution $distribution --device "$device" || worst=1
    done
    for distribution in normal sink equal_scores; do # few tiles, which a form without the log-sum-exp takes otherwise
        "$assay" fuzz --kernel fa_sm90_fp8 --problem attention/fp8_e4m3/b1/h8/s512/d64/lse --distribution $distribution --device "$device" || worst=1
    done
    "$assay" fuzz --kernel fa_sm90_fp8 --boundary --dtype fp8_e4m3 --device "$device" || worst=1
    if command -v cuobjdump >/dev/null; then
        printf 'HGMMA in the machine code: '
        cuobjdump -sass "$modules/fa_sm90.so" | grep -c HGMMA || worst=1
        printf 'QGMMA: '
        cuobjdump -sass "$modules/fa_sm90_fp8.so" | grep -c QGMMA || worst=1
    fi
    return $worst
}

# hopper_beside POWER_MODE
hopper_beside() {
    local worst=0
    "$assay" bench --suite ci --kernel fa_sm90 --vs torch:flash,torch:cudnn,cudnn --power-mode "$1" --device "$device" \
        --output "$out/hopper_$1.json" || worst=1
    "$assay" bench --suite ci --dtype fp8_e4m3 --kernel fa_sm90_fp8 --power-mode "$1" --device "$device" \
        --output "$out/hopper_fp8_$1.json" || worst=1
    return $worst
}
step_hopper_bench() { hopper_beside cool; }

step_hopper_data() {
    local worst=0
    "$assay" bench --suite ci --kernel fa_sm90 --vs "${FA3:+flash_attn_3,}torch:flash,torch:cudnn,cudnn" --data all --iters 30 --warmup 5 \
        --device "$device" --output "$out/hopper_data.json" || worst=1
    "$assay" bench --suite ci --dtype fp8_e4m3 --kernel fa_sm90_fp8 ${FA3:+--vs flash_attn_3} --data all --iters 30 --warmup 5 \
        --device "$device" --output "$out/hopper_data_fp8.json" || worst=1
    return $worst
}

step_hopper_sustained() { hopper_beside sustained; }

step_hopper_fa3() {
    local worst=0
    "$assay" bench --suite fa3 --kernel fa_sm90 --vs torch:flash,torch:cudnn,cudnn --iters 20 --warmup 5 --device "$device" \
        --output "$out/hopper_fa3.json" || worst=1
    "$assay" bench --suite fa3 --dtype fp8_e4m3 --kernel fa_sm90_fp8 --iters 20 --warmup 5 --device "$device" \
        --output "$out/hopper_fa3_fp8.json" || worst=1
    return $worst
}

step_gemm() {
    local worst=0 shapes
    for dtype in fp16 bf16; do
        "$assay" fuzz --kernel gemm_sm80 --suite gemm_fuzz --boundary --dtype $dtype --device "$device" || worst=1
    done
    "$assay" bench --kernel gemm_sm80 --suite gemm --vs torch --iters 20 --warmup 5 --device "$device" \
        --output "$out/gemm.json" || worst=1
    shapes=$(basename -s .so -a "$modules"/gemm_sm80*.so | paste -sd,)
    "$assay" bench --kernel "$shapes" --suite gemm --only square4096,square4096_nn,mlp,tall,narrow --iters 10 --warmup 3 \
        --device "$device" --output "$out/gemm_shapes.json" || worst=1
    return $worst
}

# Problems with so few tiles that one thread block a tile leaves most of the device idle.
few_tiles=(b1/h8/s512/d64 b1/h8/s1024/d64 b1/h8/sq1/sk16384/d64 b1/h4/s1024/d128 b1/h8/sq64/sk8192/d128)

step_hopper_forms() {
    local worst=0 kernel dtype form problem distribution
    "$assay" fuzz --kernel fa_sm90_t2 --boundary --dtype bf16 --device "$device" || worst=1
    for kernel in fa_sm90 fa_sm90_fp8; do
        dtype=fp16
        [ $kernel = fa_sm90 ] || dtype=fp8_e4m3
        for form in "${hopper_forms[@]}"; do
            "$assay" fuzz --kernel ${kernel}_$form --boundary --dtype $dtype --device "$device" || worst=1
        done
        for problem in b1/h8/s512/d64 b2/h8/s300/d64 b1/h8/sq40/sk500/d64/causal; do
            "$assay" fuzz --kernel ${kernel}_t2 --problem attention/$dtype/$problem --repeat 100 --device "$device" || worst=1
            for distribution in "${distributions[@]}"; do
                "$assay" fuzz --kernel ${kernel}_t2 --problem attention/$dtype/$problem --distribution $distribution --device "$device" || worst=1
            done
        done
        "$assay" bench --suite ci --dtype $dtype --kernel ${kernel}_g1,${kernel}_g2,${kernel}_g3,${kernel}_g4,${kernel}_t2 \
            --iters 30 --device "$device" --output "$out/${kernel}_forms.json" || worst=1
        for problem in "${few_tiles[@]}"; do
            "$assay" bench --problem attention/$dtype/$problem --iters 30 --device "$device" \
                --kernel ${kernel}_g1,${kernel}_s2,${kernel}_s4,${kernel}_s8,${kernel}_t2,$kernel \
                --output "$out/${kernel}_few_${problem//\//_}.json" || worst=1
        done
    done
    return $worst
}

find_sanitizer() {
    command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null ||
        { echo "left out: no compute-sanitizer" >&2; return 77; }
}

# More tiles than thread blocks, partial blocks of rows and keys, masked and unmasked blocks. racecheck makes launches so slow that
# assay reports late_work; there only the tool's own exit code, 86, counts.
step_hopper_sanitizer() {
    local sanitizer tool groups splits worst=0 folder=$work/sanitizer
    sanitizer=$(find_sanitizer) || return 77
    rm -rf "$folder" && mkdir -p "$folder" || return 73
    for tool in ${TOOLS:-memcheck racecheck synccheck}; do
        for groups in 1 2 3 4; do
            echo "$tool fa_sm90_g$groups attention/fp16/b8/h80/s200/d64/causal/lse"
            echo "$tool fa_sm90_fp8_g$groups attention/fp8_e4m3/b8/h80/s200/d64/causal/lse"
            [ $groups = 4 ] && continue
            echo "$tool fa_sm90_g$groups attention/bf16/b8/h80/sq200/sk250/d128/causal_br"
            echo "$tool fa_sm90_fp8_g$groups attention/fp8_e4m3/b8/h80/sq200/sk250/d128"
        done
        for splits in 2 8; do
            echo "$tool fa_sm90_s$splits attention/fp16/b1/h8/s400/d64/causal/lse"
            echo "$tool fa_sm90_s$splits attention/bf16/b1/h4/sq200/sk450/d128/causal_br"
            echo "$tool fa_sm90_fp8_s$splits attention/fp8_e4m3/b1/h8/s400/d64/causal/lse"
            echo "$tool fa_sm90_fp8_s$splits attention/fp8_e4m3/b1/h4/sq200/sk450/d128"
        done
        echo "$tool fa_sm90_t2 attention/fp16/b1/h8/s400/d64/causal/lse"
        echo "$tool fa_sm90_t2 attention/bf16/b2/h4/sq40/sk500/d64/lse"
        echo "$tool fa_sm90_fp8_t2 attention/fp8_e4m3/b2/h4/sq40/sk500/d64"
        echo "$tool fa_sm90_fp8_t2 attention/fp8_e4m3/b1/h8/s400/d64/causal" # not with the log-sum-exp
    done >"$folder/runs"
    export sanitizer assay device folder
    xargs -P 8 -L 1 bash -c 'log="$folder/$0-$1-${2//\//_}.txt"
        "$sanitizer" --tool $0 --target-processes all --error-exitcode 86 --kernel-name-exclude kns=assay_ \
            timeout --foreground 150 "$assay" fuzz --kernel $1 --problem $2 --isolation none --device "$device" \
            >"$log" 2>&1
        code=$?
        [ $0 != racecheck ] || [ $code != 1 ] || ! grep -q "late_work" "$log" || code=0
        printf "%-10s %-15s %-48s code %3d  %s\n" $0 $1 $2 $code "$(grep "ERROR SUMMARY\|RACECHECK SUMMARY" "$log" | tail -1)"
        exit $((code != 0))' <"$folder/runs" || worst=1
    return $worst
}

# Profiles at free clocks: nothing is locked on a borrowed machine.
step_hopper_profile() {
    local ncu worst=0 run kernel problem
    ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu 2>/dev/null) || { echo "left out: no ncu"; return 77; }
    for run in fa_sm90:fp16/b32/h8/s512/d64 fa_sm90:fp16/b32/h16/s512/d128 fa_sm90_fp8:fp8_e4m3/b32/h8/s512/d64; do
        kernel=${run%%:*} problem=attention/${run#*:}
        echo "== $kernel $problem"
        timeout 100 "$ncu" --clock-control none --target-processes all -k regex:fa_hopper_kernel --launch-skip 2 --launch-count 1 \
            --section SpeedOfLight --section ComputeWorkloadAnalysis --section WarpStateStats --section MemoryWorkloadAnalysis \
            --print-details all \
            "$assay" fuzz --kernel "$kernel" --problem "$problem" --isolation none --device "$device" || worst=1
    done
    return $worst
}

# The tool follows assay's worker, a child process, which ends with 86 if the tool finds anything. Everything runs slowly.
step_sanitizer() {
    local tool worst=0 sanitizer exclude
    sanitizer=$(find_sanitizer) || return 77
    for tool in memcheck racecheck synccheck initcheck; do
        # Leaves out the harness's own kernels, except for initcheck: without their writes, copies of that memory look uninitialised.
        exclude=(--kernel-name-exclude kns=assay_)
        [ $tool = initcheck ] && exclude=()
        for problem in attention/fp16/b1/h2/s65/d64/causal/lse attention/bf16/b1/h2/sq33/sk129/d128/causal_br; do
            echo "== $tool $problem"
            "$sanitizer" --tool $tool --target-processes all --error-exitcode 86 "${exclude[@]}" \
                timeout --foreground 50 "$assay" fuzz --kernel "${SANITIZED:-fa_sm80}" --problem $problem --isolation none \
                --device "$device" 2>&1 |
                { head -60; tail -5; }
            [ "${PIPESTATUS[0]}" = 0 ] || worst=1
        done
    done
    return $worst
}

step_broken() { ASSAY=$assay DEVICE=$device bash "$source/tests/broken_cuda/run.sh" "$modules/broken"; }

step_attacks() {
    local code names
    read -ra names <<<"${ATTACKS:-}"
    "$python" "$source/tests/broken_cuda/gate.py" --device "$device" --output "$work/attacks" "$modules/broken" "${names[@]}"
    code=$?
    cp "$work/attacks/results.json" "$out/attacks.json"
    return $code
}

step_exploits() {
    local folder=$modules/exploits worst=0 part source_of=$source/tests/exploits
    export nvcc
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    if [ ! -d "$folder" ]; then
        [ -x "$nvcc" ] || { echo "left out: no nvcc"; return 77; }
        mkdir -p "$folder"
        find "$source_of/cuda" -name '*.cu' -printf '%f\n' | sed 's/\.cu$//' | xargs -P 12 -I@ "$nvcc" -O3 -std=c++17 -shared \
            -Xcompiler -fPIC -cudart static -arch=native "$source_of/cuda/@.cu" -o "$folder/@.so" || return 1
    fi
    rm -f "$out/exploits.txt" "$work"/exploits_*
    for part in 1 2 3 4 5 6 7 8; do
        "$python" "$source_of/run.py" --device "$device" --modules "$folder" --only fuzz --part $part/8 --output "$out/exploits.txt" \
            >"$work/exploits_$part" 2>&1 &
    done
    for part in 1 2 3 4 5 6 7 8; do wait -n || worst=1; done
    cat "$work"/exploits_*
    "$python" "$source_of/run.py" --device "$device" --modules "$folder" --only gate --output "$out/exploits.txt" cuda || worst=1
    return $worst
}

# The second run has a warm L2, as the earlier figures of the small problems had.
step_peers() {
    local code warm_code
    timeout 150 "$assay" bench --suite ci --kernel fa_sm80 --vs torch:flash,torch:cudnn,cudnn --device "$device" \
        --output "$out/bench.json"
    code=$?
    timeout 100 "$assay" bench --suite ci --kernel cudnn --vs torch:flash --cache warm --only mission,small \
        --device "$device" --output "$out/warm.json"
    warm_code=$?
    "$python" "$source/bench/sdpa_graphs.py" "$out/sdpa.json" &&
        "$python" "$source/bench/agree.py" "$out/bench.json" "$out/sdpa.json" "$out/warm.json" &&
        return $((code ? code : warm_code))
}

step_calibrate() {
    "$assay" calibrate --suite ci --kernel fa_sm80 --device "$device" --rounds "${CALIBRATE_ROUNDS:-20}" \
        --output "$out/calibrate.json"
}

# gate NAME BASELINE CANDIDATE SEED: prints the gate's exit code; the caller decides whether it is right.
gate() {
    local name=$1 baseline=$2 candidate=$3 seed=$4 code
    echo "== gate $name, seed $seed"
    time "$assay" gate --candidate "$candidate" --baseline "$baseline" --suite ci --measure-same --no-check --seed "$seed" \
        --device "$device" --output "$out/gate_$name.json"
    code=$?
    echo "gate $name: code $code"
    return $code
}

step_same() {
    local i seed worst=0 first=${AA_SEED:-1}
    for ((i = 0; i < ${AA_COUNT:-2}; i++)); do
        seed=$((first + i))
        gate "same_$seed" fa_sm80 fa_sm80 $seed || worst=1
    done
    grep -ho '"verdict": *"[a-z_]*"' "$out"/gate_same_*.json | sort | uniq -c
    return $worst
}

# 1 % more work is maintained (0), 4 % and 6 % are regressions (1).
step_work() {
    local worst=0 code wanted
    for percent in 1 4 6; do
        gate "work_$percent" fa_sm80_0pct "fa_sm80_${percent}pct" 42
        code=$?
        [ $code = $((percent > 3)) ] || worst=1
        wanted=$([ "$percent" -gt 3 ] && echo regression || echo maintained no_significant_difference)
        "$python" "$source/bench/judge_gate.py" "$out/gate_work_$percent.json" $wanted || worst=1
    done
    return $worst
}

step_git() {
    command -v git >/dev/null && { command -v nvcc || [ -x /usr/local/cuda/bin/nvcc ]; } >/dev/null ||
        { echo "left out: no nvcc or no git"; return 77; }
    rm -rf "$work/git" && mkdir -p "$work/git" && cp -r "$source/kernels" "$source/include" "$work/git" || return 73
    cd "$work/git" || return 73
    printf 'version: 1\nkernels:\n  fa: {operator: attention, backend: cuda, source: kernels/attention/fa_sm80.cu}\n' >assay.yaml
    git init -q . && git add . && git -c user.name=bench -c user.email=bench@localhost commit -q -m first || return 70
    sed -i 's/^#define WORK_TEST 0/#define WORK_TEST 1/; s/^#define WORK_PCT 0/#define WORK_PCT 10/' kernels/attention/fa_sm80_work_test.cuh
    ASSAY_INCLUDE_DIR=$work/git/include "$assay" gate --candidate fa --baseline git:HEAD --suite ci --only s512,s1024 \
        --no-check --device "$device" --output "$out/gate_git.json"
    local code=$?
    cd "$work" || return 73
    [ $code = 1 ] && "$python" "$source/bench/judge_gate.py" "$out/gate_git.json" regression # by about 10 %
}

step_operators() { bash "$source/bench/h200_operators.sh" "$work/operators"; }

step_tools() { PYTHON=$python bash "$source/bench/h200_tools.sh" "$work/tools"; }

step_cpu() { "$assay" bench --suite cpu --kernel simd --vs torch --device cpu --output "$out/cpu.json"; }

step_zygote() {
    local code
    command -v git >/dev/null || { echo "left out: no git"; return 77; }
    "$python" "$source/bench/python_rounds.py" "$assay" "$device" "$source/examples/operators" "$state/zygote" 240
    code=$?
    cp "$state/zygote/parts.json" "$out/zygote.json"
    return $code
}

# ---- running them ----

declare -A limits=([devices]=30 [python]=120 [device_kernels]=90 [ceilings]=180 [fuzz]=90 [boundary]=180 [matrix]=300 [ladder]=300 [hopper]=300 [hopper_bench]=150 [hopper_data]=400 [hopper_sustained]=560 [hopper_fa3]=300 [hopper_forms]=300 [hopper_sanitizer]=300 [hopper_profile]=200 [gemm]=240 [operators]=560 [tools]=240 [sanitizer]=420 [broken]=240 [attacks]=540 [exploits]=300 [peers]=500
    [calibrate]=570 [same]=400 [work]=480 [git]=240 [cpu]=180 [zygote]=270)
all_steps=(devices python device_kernels ceilings fuzz boundary matrix ladder hopper hopper_bench hopper_data hopper_sustained hopper_fa3 hopper_forms hopper_sanitizer hopper_profile gemm operators tools sanitizer broken attacks exploits peers calibrate same work git cpu zygote)

# Runs this script's own step in a process that `timeout` can end.
run_step() {
    local name=$1 start=$SECONDS code result
    echo "---- $name (limit ${limits[$name]} s)"
    timeout -k 10 "${limits[$name]}" bash "$source/bench/h200.sh" --step "$name" >"$out/$name.txt" 2>&1
    code=$?
    case $code in 0) result=ok ;; 77) result="left out" ;; 124 | 137) result="too slow" ;; *) result="code $code" ;; esac
    tail -25 "$out/$name.txt"
    [ ! -f "$out/steps.txt" ] || sed -i "/^$name /d" "$out/steps.txt"
    printf '%-11s %-9s %4d s\n' "$name" "$result" $((SECONDS - start)) >>"$out/steps.txt"
    [ $code = 0 ] || [ $code = 77 ]
}

if [ "${1:-}" = --step ]; then
    "step_$2"
    exit $?
fi
[ $# -gt 0 ] || set -- "${all_steps[@]}"
failed=0
for name in "$@"; do
    [ -n "${limits[$name]:-}" ] || { echo "h200.sh: no step '$name'; steps: ${all_steps[*]}" >&2; exit 64; }
    run_step "$name" || failed=1
done
tar -czf "$out/runs.tar.gz" -C "$work" --exclude=git . 2>/dev/null
tar -czf "$out/state.tar.gz" -C "$state" --exclude=work --exclude='*.so' . 2>/dev/null
# A borrowed machine returns only a few files: everything except the table is put into archives.
(cd "$out" && find . -maxdepth 1 \( -name '*.txt' -o -name '*.json' \) ! -name steps.txt -printf '%P\n' >"$state/texts" &&
    tar -czf texts.tar.gz -T "$state/texts" && xargs -r rm -f -- <"$state/texts")
echo
cat "$out/steps.txt"
exit $failed

# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: a folder with a manifest of kernels written in Python, below kern/.
ls "$(dirname "$ASSAY")/libassay_worker.so" >/dev/null 2>&1 || ls "$(dirname "$(readlink -f "$ASSAY")")"/../lib*/libassay_worker.so >/dev/null 2>&1 || {
    echo "SKIPPED: this build has no libassay_worker.so (the sanitizers)"
    exit 0
}
command -v python3 >/dev/null || { echo "SKIPPED: no python3"; exit 0; }
unset VIRTUAL_ENV
mkdir -p kern && cp "$ASSAY_SOURCE"/tests/cli/python/_kernels/*.py kern/
{
    printf 'version: 1\nkernels:\n'
    printf '  plain: {operator: attention, backend: cpu, python: "kern.plain:forward"}\n'
    for name in off unwritten raises returns_object writes_input says_exit exits hangs picky modest; do
        printf '  %s: {operator: attention, backend: cpu, python: "kern.bad:%s"}\n' $name $name
    done
    printf '  needs: {operator: attention, backend: cpu, python: "kern.needs:f"}\n'
    printf '  broken: {operator: attention, backend: cpu, python: "kern.broken:f"}\n'
    printf '  missing: {operator: attention, backend: cpu, python: "kern.nowhere:f"}\n'
    printf 'suites: {tiny: {problems: {a: attention/fp32/b1/h2/s8/d8, b: attention/fp32/b1/h1/s9/d16/causal}}}\n'
    printf 'gate: {suite: tiny, check: tiny, candidate: plain}\n'
    printf 'limits: {case_s: %s}\n' "${CASE_S:-60}"
} >assay.yaml

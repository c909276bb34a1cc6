# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: a folder with a manifest of kernels written in Python, below kern/.
# CMake's word; there is none beside an installed program.
worker=$(cat "$(dirname "$(readlink -f "$ASSAY")")/gen/python_worker.txt" 2>/dev/null)
if [[ $worker == no* ]]; then
    echo "SKIPPED: this build has no libassay_worker.so (${worker#no: })"
    exit 0
fi
command -v python3 >/dev/null || { echo "SKIPPED: no python3"; exit 0; }
unset VIRTUAL_ENV
mkdir -p kern && cp "$ASSAY_SOURCE"/tests/cli/python/_kernels/*.py kern/
{
    printf 'version: 1\nkernels:\n'
    printf '  plain: {operator: attention, backend: cpu, python: "kern.plain:forward"}\n'
    for name in off unwritten raises returns_object writes_input says_exit exits hangs picky modest mute mute_supports; do
        printf '  %s: {operator: attention, backend: cpu, python: "kern.bad:%s"}\n' $name $name
    done
    printf '  needs: {operator: attention, backend: cpu, python: "kern.needs:f"}\n'
    printf '  broken: {operator: attention, backend: cpu, python: "kern.broken:f"}\n'
    printf '  missing: {operator: attention, backend: cpu, python: "kern.nowhere:f"}\n'
    printf 'suites: {tiny: {problems: {a: attention/fp32/b1/h2/s8/d8, b: attention/fp32/b1/h1/s9/d16/causal}}}\n'
    printf 'gate: {suite: tiny, check: tiny, candidate: plain}\n'
    printf 'limits: {case_s: %s}\n' "${CASE_S:-60}"
} >assay.yaml

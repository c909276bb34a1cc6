# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: a folder with a manifest of kernels written in Python, below kern/.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
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

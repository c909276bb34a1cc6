# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: manifest writes one with the script `mine`, 100 us on problems of the operator scale.
manifest() { # $1: its key tune, without braces; $2: problems of the suite pr, without braces
    cat >assay.yaml <<Y
version: 1
kernels:
  mine: {operator: scale, backend: sim, sim: {base_us: 100}, tune: {$1}}
suites:
  pr: {problems: {$2}}
gate: {suite: pr, candidate: mine}
Y
}

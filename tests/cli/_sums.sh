# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of whole matrices.
# sums: of what fuzz prints, each verdict but PASS, and the sum. That of 60 problems and more is in words, which do not change with a
# problem that a matrix gains: all passed, or all but few (one of ten) that the kernel does not take. Another sum stays as it is.
sums() {
    grep -vE '\.\.\. (PASS|UNSUPPORTED)|^results:|^not checked: |^$' | awk '
        $1 !~ /^[0-9]+\/[0-9]+$/ || (NF != 2 && !(NF == 4 && $4 == "unsupported")) { print; next }
        { split($1, of, "/"); few = NF == 4 ? $3 : 0 }
        of[2] < 60 || of[1] + few != of[2] || few * 10 > of[2] { print; next }
        { sub(/:$/, "", $2); print $2 ": all" (few ? " but few" : "") }'
}

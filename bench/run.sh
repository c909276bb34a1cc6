#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# `make bench`: assay's kernels, statistics and costs against their peers, as ratios within one run. Figures are printed, never
# asserted: an absolute figure of this machine means nothing elsewhere. Each part also runs alone:
#   bench/kernels.sh  bench/stats.sh  bench/costs.sh       (ASSAY: the program, default build/default/assay)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in kernels stats costs; do
    "$here/$part.sh"
    echo
done

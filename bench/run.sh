#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# `make bench`: our kernels, statistics and costs beside their peers, as ratios within one run. Figures are looked at, never
# asserted: an absolute figure of this machine means nothing elsewhere. Each part runs alone too:
#   bench/kernels.sh  bench/stats.sh  bench/costs.sh       (ASSAY: the program, default build/default/assay)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in kernels stats costs; do
    "$here/$part.sh"
    echo
done

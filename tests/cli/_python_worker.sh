# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: skipped where code in Python cannot run. CMake's word; there is none beside an installed program.
worker=$(cat "$(dirname "$(readlink -f "$ASSAY")")/gen/python_worker.txt" 2>/dev/null)
if [[ $worker == no* ]]; then
    echo "SKIPPED: this build has no libassay_worker.so (${worker#no: })"
    exit 0
fi
command -v python3 >/dev/null || { echo "SKIPPED: no python3"; exit 0; }
unset VIRTUAL_ENV

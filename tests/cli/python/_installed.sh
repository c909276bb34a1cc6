# SPDX-License-Identifier: Apache-2.0
# Sourced by tests after _project.sh: a copy of assay with a bridge and a library of its own, which a test may change. $installed runs it.
mkdir -p own/bin own/share/assay
cp "$(readlink -f "$ASSAY")" own/bin/assay
cp -r "$ASSAY_SOURCE/peers" own/share/assay/peers
cp "$(dirname "$(readlink -f "$ASSAY")")/libassay_worker.so" own/bin/ 2>/dev/null ||
    cp "$(dirname "$(readlink -f "$ASSAY")")"/../lib*/libassay_worker.so own/bin/
installed=$PWD/own/bin/assay

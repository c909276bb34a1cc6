# The folder of bench/h200_build.sh, moved elsewhere: its script runs there, and a peer in Python finds its bridge in it. Without PyTorch the
# step is left out. (The GPU's modules take nvcc minutes, and are no part of this test: two texts are packed and unpacked in their place.)
build=$(dirname "$(readlink -f "$ASSAY")")
[ -e "$build/help/_assay" ] && [ -e "$build/libassay_worker.so" ] || { echo "SKIPPED: this build has no manual pages or no libassay_worker.so"; exit 0; }
command -v gcc >/dev/null && command -v xz >/dev/null && command -v python3 >/dev/null || { echo "SKIPPED: no gcc, no xz or no python3"; exit 0; }
unset VIRTUAL_ENV
mkdir -p made/modules/broken
echo first >made/modules/fa_sm90_g1.so
BUILD=$build "$ASSAY_SOURCE/bench/h200_build.sh" made program cpu >log 2>&1 || cat log
sed "s|^$PWD/||; s/[0-9]* MiB/N MiB/g" log
echo second >made/modules/broken/right.so # packed beside the first
"$ASSAY_SOURCE/bench/h200_build.sh" made cpu >/dev/null
find made/modules -type f -printf '%P\n' | sort
mv made away
step() { env -u ASSAY DEVICE=cpu STATE="$PWD/state" "$@" bash away/bench/h200.sh python 2>&1 | sed 's/  *[0-9]* s$//'; echo "exit ${PIPESTATUS[0]}"; }
fake=PYTHONPATH=$ASSAY_SOURCE/tests/cli/python/_fake
step $fake | grep -E '^(torch:flash|1/1|exit|python  .*(ok|code))'
cat away/modules/fa_sm90_g1.so away/modules/broken/right.so
printf '#!/bin/sh\nexec python3 -S "$@"\n' >bare && chmod +x bare # without what is installed
mkdir -p bin && mv bare bin/python3 && sed -i "s|exec python3|exec $(command -v python3)|" bin/python3
step PATH="$PWD/bin:$PATH" | grep -E '^(exit|python  .*left out)'
echo 'raise RuntimeError("the one that was carried")' >>away/share/assay/peers/torch_sdpa.py
step $fake | grep -oE 'RuntimeError: .* carried|^exit.*|^python  .*code [0-9]*'
"$ASSAY_SOURCE/bench/h200_build.sh" made nothing 2>&1; echo "exit $?"

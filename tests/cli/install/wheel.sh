# The wheel of a static build (.ci/run): two agree byte for byte, its tag is what its files need, and a wrong one is refused. Installed into an
# environment by pip without an index, program, module and plugin work from there, its kernels run in that environment, and nothing stays.
build=$(dirname "$(readlink -f "$ASSAY")")
grep -q '^ASSAY_STATIC:BOOL=ON' "$build/CMakeCache.txt" || { echo "SKIPPED: wheels are made of the static preset (.ci/run)"; exit 0; }
python=/usr/bin/python3
"$python" -c 'import ensurepip, numpy, pytest' 2>err || { echo "SKIPPED: no Python of the system with venv, NumPy and pytest"; exit 0; }
for folder in first second; do "$ASSAY_SOURCE/scripts/package.sh" wheel "$build" $folder || exit 1; done
cmp first/*.whl second/*.whl && echo "the same twice"
"$ASSAY_SOURCE/scripts/check_wheel.py" first/*.whl | sed 's/-[0-9.]*-/-VERSION-/; s/x86_64\|aarch64/MACHINE/'
mkdir -p wrong && cp first/*.whl "wrong/$(basename first/*.whl | sed 's/manylinux_2_[0-9]*/manylinux_2_17/')"
"$ASSAY_SOURCE/scripts/check_wheel.py" wrong/*.whl | sed 's/_2_3[0-9]_[a-z0-9_]*/_2_N/g; s/_2_17_[a-z0-9_]*/_2_17/g'
"$python" -m venv --system-site-packages there
there/bin/pip install -q --no-index --disable-pip-version-check first/*.whl && find there -name '*assay*' | grep -qx there/bin/assay && echo installed
unset ASSAY VIRTUAL_ENV
export HOME=$PWD/home PATH=$PWD/bin:/usr/bin:/bin
mkdir -p bin && printf '#!/bin/sh\necho "the wrong interpreter"; exit 1\n' >bin/python3 && chmod +x bin/python3
printf 'def inputs(n=4): return {"x": f"fp32[{n}]"}\ndef reference(x): return {"y": x * 2}\nimport numpy\n' >twice.py
printf 'import numpy\n\ndef twice(x): return x + x\ndef thrice(x): return x * 3\n' >mine.py
printf 'import mine\n\ndef test_right(assay): assay.check(mine.twice, "twice.py", problem="n=5")\ndef test_wrong(assay): assay.check(mine.thrice, "twice.py", problem="n=5")\n' >test_mine.py
there/bin/assay fuzz twice.py --kernel mine:twice --problem n=5 | grep '^[0-9]*/'
there/bin/assay list kernels | grep -o '^assay:tiled '
there/bin/python -c 'import assay; print(assay.program())' | sed "s|$(realpath .)|HERE|"
there/bin/python -m pytest -q -p no:cacheprovider test_mine.py | grep -A1 -E '^(mine:|[0-9]+ failed)' | sed 's/ in .*//'
there/bin/pip uninstall -q -y assay 2>/dev/null
find there -name '*assay*'

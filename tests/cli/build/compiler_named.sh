# CC names the compiler of kernels in C, CXX that of C++: on the command line of the build and in the key of the cache.
export XDG_CACHE_HOME=$PWD/.cache
mkdir bin kernels && sed -n '/^```c$/,/^```$/p' "$ASSAY_SOURCE/docs/adding.md" | sed '1d;$d' >kernels/mine.c
printf 'version: 1\nkernels: {mine: {operator: scale, source: kernels/mine.c}}\n' >assay.yaml
# Another compiler, by its name, its version and a mark in the module.
cat >bin/mycc <<'S'
#!/bin/sh
[ "$1" = --version ] && echo "mycc (made for this test) 7.0.1" && exit
exec gcc -DMADE_BY_MYCC "$@"
S
mkdir 'bin/with blank' && cp bin/mycc 'bin/with blank/mycc'
chmod +x bin/mycc 'bin/with blank/mycc'
export PATH=$PWD/bin:$PATH
builds() { # $1: of the variable
    CC=$1 assay build --kernel mine --json >out 2>err
    code=$?
    [ $code = 0 ] && python3 -c 'import json; print(json.load(open("out"))["built"][0]["compiler"].split()[0])' || sed "s|$PWD|.|g" err
    echo "CC='${1/$PWD/.}': $code, $(find .cache/assay/modules -name '*.so' 2>/dev/null | wc -l) modules"
}
builds ''
builds mycc
builds "$PWD/bin/mycc"
builds "ccache mycc"
builds "$PWD/bin/with blank/mycc"
builds gcc
builds nocc
builds "ccache nocc"
builds "mycc -m64 -g"
CXX=nocc builds mycc
CC=nocc assay fuzz --kernel mine 2>&1; echo "fuzz: $?"
for name in mycc nocc; do CC=$name assay doctor | grep -E '^[a-z]+ +cc ' | sed "s|$PWD|.|; s/  */ /g"; done

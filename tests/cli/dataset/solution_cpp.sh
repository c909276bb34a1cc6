# slow: a file with PyTorch's headers is compiled
# Solutions in C++ and CUDA that PyTorch binds: built once, in the sandbox, and kept; the compiler's words and the status of one that does
# not compile; what one needs that is not there.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy torch
for tool in ninja c++; do command -v $tool >/dev/null || { echo "SKIPPED: no $tool"; exit 0; }; done
. "$ASSAY_SOURCE/tests/cli/dataset/_set.sh"
printf 'version: 1\npython_interpreter: %s\n' "$("$python" -c 'import sys; print(sys.executable)')" >assay.yaml
one() { says fuzz --dataset "$set/trace" --definition paged_sum_h8 --suite paged_sum_h8 --only 27ef153a --trace traces.jsonl --solution "$@"; }
one sum_broken | sed 's/[0-9a-f]\{16\}/HASH/; /[|^]/d; s/‘\|’/'"'"'/g'
one sum_cpp
sed -n 's/ (abs.*//; /\.\.\./p' out
find cache/assay/extensions -type f | sed 's/[0-9a-f]\{12,\}/HASH/g' | sort
mkdir there && export PATH=$PWD/there:$PATH
printf '#!/bin/sh\necho built again >&2\nexit 1\n' >there/ninja && chmod +x there/ninja
one sum_cpp
sed -n 's/ (abs.*//; /\.\.\./p' out
rm there/ninja
# A machine without nvcc, or a PyTorch without CUDA, is told what it lacks; where both are there, it compiles or not.
one sum_cuda >cuda; grep -c '^69: the solution .sum_cuda.: a solution in CUDA needs \(nvcc\|a PyTorch\)\|^1: .*does not build' cuda
grep -o '"solution":"[a-z_]*","evaluation":{"status":"[A-Z_]*"' traces.jsonl | sort | uniq -c

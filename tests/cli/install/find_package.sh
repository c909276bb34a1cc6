# find_package(assay) of an installation that was moved: kernels of a project's own build become tests of ctest, and entries of a manifest.
build=$(dirname "$(readlink -f "$ASSAY")")
[ -e "$build/help/_assay" ] || { echo "SKIPPED: this build has no manual pages"; exit 0; }
cmake --install "$build" --prefix "$PWD/first" >install.log 2>&1 || { tail -5 install.log; exit 1; }
mv first tree
mkdir project && cd project || exit 1
cp "$ASSAY_SOURCE"/examples/pybind11/norms.[ch] .
cp "$ASSAY_SOURCE/examples/attention_kernel.c" attention.c
cat >reference.c <<'C'
#include <math.h>
void reference(const double *x, const double *weight, double *y, int rows, int hidden, double eps) {
    for (int r = 0; r < rows; ++r, x += hidden, y += hidden) {
        double sum = 0;
        for (int i = 0; i < hidden; ++i) sum += x[i] * x[i];
        for (int i = 0; i < hidden; ++i) y[i] = x[i] / sqrt(sum / hidden + eps) * weight[i];
    }
}
C
cat >assay.yaml <<'Y'
version: 1
operators:
  norm:
    axes: {rows: 3, hidden: 17}
    inputs: {x: "fp32[rows, hidden]", weight: "fp32[hidden] normal(1, 0.1)", eps: 1e-6}
    outputs: {y: "fp32[rows, hidden]"}
    reference: reference.c
    reference_call: "reference(x, weight, y, int rows, int hidden, double eps)"
kernels:
  committed: {operator: norm, source: norms.c, call: "rmsnorm(x, weight, y, int rows, int hidden, float eps)"}
Y
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.19)
project(norms LANGUAGES C)
enable_testing()
find_package(assay 0.1 REQUIRED)
set(signature "rmsnorm(x, weight, y, int rows, int hidden, float eps)")
assay_add_kernel(right OPERATOR norm SOURCES norms.c CALL "${signature}" PROBLEMS norm norm/rows1/hidden1 LABELS fast)
assay_add_kernel(wrong OPERATOR norm SOURCES norms.c CALL "rmsnorm(x, x, y, int rows, int hidden, float eps)"
    SUITE norm OPTIONS --no-shrink)
add_library(shared SHARED norms.c)
target_link_libraries(shared m)
assay_add_kernel(taken OPERATOR norm TARGET shared CALL "${signature}" KEYS "summary: \"mine\"" PROBLEMS norm TIMEOUT 60)
assay_add_kernel(gpu OPERATOR norm TARGET shared CALL "${signature}" BACKEND cuda PROBLEMS norm OPTIONS --device cuda:99)
assay_add_kernel(module OPERATOR attention SOURCES attention.c PROBLEMS attention/fp32/b1/h1/s3/d2)
C
cmake -B build -G Ninja -DCMAKE_PREFIX_PATH="$PWD/../tree" >log 2>&1 && cmake --build build >>log 2>&1 || { tail -20 log; exit 1; }
sed "s|$PWD|HERE|" build/assay.yaml
ctest --test-dir build -j 2 >out 2>&1
grep -oE 'assay\.[a-z]+ \.+.*(Passed|Failed|Skipped)' out | sed 's/ [.* ]*/ /' | sort
ctest --test-dir build -N -L fast | grep -c 'assay.right'
assay list kernels --manifest build/assay.yaml | awk '{print $1, $NF}' | grep -E '^(taken|committed) ' | sed "s|$PWD|HERE|"
assay fuzz --manifest build/assay.yaml --kernel committed --problem norm --quiet | tail -1
git init -q . && assay gate --manifest build/assay.yaml --candidate right --baseline git:HEAD 2>&1 | sed "s|$PWD|HERE|"
cp assay.yaml other.yaml && printf 'version: 1\nextends: other.yaml\n' >assay.yaml && git add assay.yaml other.yaml &&
    git -c user.name=t -c user.email=t@example.org commit -qm extends && cp other.yaml assay.yaml
assay gate --candidate committed --baseline git:HEAD 2>&1 | sed "s|$PWD|HERE|"
echo 'assay_add_kernel(none OPERATOR norm)' >>CMakeLists.txt
cmake -B build 2>&1 | grep 'SOURCES, TARGET' | tr -s ' '

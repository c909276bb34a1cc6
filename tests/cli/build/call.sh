# A function that knows nothing of assay is a kernel: from its source, in C++, from an own build; what it returns is told, and what it lacks.
mkdir csrc && cat >csrc/scale.c <<'C'
void scale(const float *x, float *y, int n, float factor);
void scale(const float *x, float *y, int n, float factor) {
    for (int i = 0; i < n; ++i) y[i] = factor * x[i];
}
C
cat >csrc/scale.cc <<'C'
extern "C" int scale_checked(double factor, float *y, const float *x, long n, int threads) {
    for (long i = 0; i < n; ++i) y[i] = (float)factor * x[i];
    return n == 7 ? 5 : threads < 1;
}
C
cat >assay.yaml <<'Y'
version: 1
kernels:
  plain: {operator: scale, source: csrc/scale.c, call: "scale(fp32 x, fp32 y, int count, float factor)"}
  own:
    operator: scale
    build: {run: g++ -O2 -fPIC -shared csrc/scale.cc -o libscale.so, output: libscale.so}
    call: int scale_checked(double factor, fp32 y, fp32 x, int64 count, threads)
  library: {operator: scale, library: libscale.so, call: "scale_chequed(fp32 x, fp32 y)"}
  mangled: {operator: scale, source: csrc/scale.cc, call: "scale(fp32 x, fp32 y, int count, float factor)"}
Y
fuzz() { assay fuzz "$@" 2>&1 | grep -v -e ^results -e "^$"; }
fuzz --kernel plain --problem scale/fp32/n1000/a3 && fuzz --kernel plain --problem scale/fp16/n8
fuzz --kernel own --problem scale/fp32/n1025/a0.5 && fuzz --kernel own --problem scale/fp32/n7
fuzz --kernel library
fuzz --kernel mangled | head -1
sed -i 's/int count/int cuont/' assay.yaml && fuzz --kernel plain

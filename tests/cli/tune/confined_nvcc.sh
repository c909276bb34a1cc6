# nvcc with all that it calls works in the sandbox that a proposed source is compiled in, and reads no file of the user's there.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "SKIPPED: no nvcc"; exit 0; }
mkdir -p out home && echo "secret words" >home/notes
echo '__global__ void twice(float *y) { y[threadIdx.x] *= 2; }' >kernel.cu
printf '#include "%s/home/notes"\n' "$PWD" >reads.cu
confined() { assay confined "$PWD/out" memory=4294967296 seconds=300 "$PWD/kernel.cu" "$PWD/reads.cu" -- "$nvcc" "$@" 2>said; echo "exit $?"; }
confined -M "$PWD/kernel.cu" | tail -1
confined -arch=sm_90a -Xcompiler -fPIC -c "$PWD/kernel.cu" -o "$PWD/out/module.o"
confined -shared "$PWD/out/module.o" -o "$PWD/out/module.so"
[ -s out/module.so ] && echo "a module"
confined -c "$PWD/reads.cu" -o "$PWD/out/reads.o"
grep -o "Permission denied" said; grep -c "secret words" said
confined -c "$PWD/kernel.cu" -o "$PWD/kernel.o"; [ -e kernel.o ] || echo "nothing outside is written"

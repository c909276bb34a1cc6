# What is there stays: a kernel's source, and the lines of .gitignore, which gets the one that it lacks. With a manifest, and where a file
# cannot be written, nothing is.
mkdir kernels && echo "int mine;" >kernels/mine.c
printf 'build/\n/tmp' >.gitignore
assay init
cat kernels/mine.c .gitignore
rm assay.yaml && assay init
printf '/runs/\r\n' >.gitignore
rm assay.yaml && assay init && wc -l <.gitignore
rm -r kernels .gitignore
assay init 2>&1
echo "exit $?"; ls -A
rm assay.yaml assay.schema.json && mkdir .gitignore
assay init 2>&1
echo "exit $?"; ls -A
rmdir .gitignore && echo mine >kernels && assay init 2>&1
echo "exit $?"; ls -A && rm kernels
# --output: the manifest alone
assay init --output other.yaml && ls -A && assay init --output - --quiet | sed -n 1p | cut -c1-23

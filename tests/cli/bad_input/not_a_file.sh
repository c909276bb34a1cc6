# What a user names must be an ordinary file: pipes, devices, folders and files of /proc without end are one sentence at once,
# wherever a file is named. Nothing waits for a pipe.
mkfifo pipe pipe.json && mkdir folder && ln -s pipe link && ln -s /dev/zero zero.json
cp "$ASSAY_SOURCE/tests/cli/_slow_attention.c" a.c
printf 'version: 1\nkernels: {a: {operator: attention, source: a.c}}\n' >assay.yaml
try() {
    timeout -k 1 20 "$@" >out.txt 2>err.txt; echo "$? | $(cat err.txt)"
    [ "$(wc -l <err.txt)" -le 1 ] || echo "not one line"
}
for file in pipe link /dev/zero /dev/null folder /proc/self/pagemap; do
    echo "--- $file"
    try assay report $file
    try assay report $file --samples
    try assay compare $file $file
    try assay baseline check $file
    try assay list --manifest $file
    try assay fuzz --module $file
    sed "s|a.c}|$file, library: none}|; s|source: .*library: none|library: $file|" assay.yaml >library.yaml
    try assay build --manifest library.yaml --kernel a
done 2>&1 | sed "s|$PWD|HERE|g" | uniq -c | sed 's/^ *//'
echo "--- a stored baseline"
for file in pipe.json zero.json; do try assay gate --candidate a --baseline $file; done
echo "--- a source"
mkdir kernels; mkfifo kernels/pipe.c; mkdir kernels/folder.c
for file in kernels/pipe.c kernels/folder.c; do
    printf 'version: 1\nkernels: {a: {operator: attention, source: %s}}\n' $file >source.yaml
    try assay build --manifest source.yaml --kernel a
done | sed "s|$PWD|HERE|g"
echo "--- a run's folder"
mkdir -p runs/r && mkfifo runs/r/plan.json
try assay gate --resume r
mv runs/r/plan.json runs/r/result.json
try assay report r
echo "--- output"
assay bench --device sim:steady --kernel sim --suite sim --iters 6 --quiet --output result.json >/dev/null || exit 9
try assay report result.json --output pipe
exec 8<>pipe # a reader
try assay report result.json --output pipe
read -r line <&8; echo "$line"
exit 0

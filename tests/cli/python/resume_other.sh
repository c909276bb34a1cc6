# a run is resumed with the library and the bridge that began it, or not at all
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
. "$ASSAY_SOURCE/tests/cli/python/_installed.sh"
resume() { "$installed" bench --resume last >out 2>&1; case $? in 0 | 3) echo "resumed" ;; *) cat out ;; esac; }
"$installed" bench --kernel exits --problem attention/fp32/b1/h1/s2/d2 --iters 5 >out 2>&1
resume >/dev/null # whatever came of it, it is the same program
grep -c "another build" out
echo '# another one' >>own/share/assay/peers/assay_tensor.py
resume
cp "$ASSAY_SOURCE/peers/assay_tensor.py" own/share/assay/peers/
resume >/dev/null
grep -c "another build" out
printf 'x' >>own/bin/libassay_worker.so
resume

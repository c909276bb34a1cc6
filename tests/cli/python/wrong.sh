# every way of being wrong has its finding and Python's words with the place
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
for kernel in off unwritten raises returns_object writes_input says_exit mute mute_supports; do
    assay fuzz --kernel $kernel --problem attention/fp32/b1/h1/s2/d2 >out
    echo "$kernel: exit $?"
    grep -E '^ +[a-z_]+: ' out | grep -v repeat
done

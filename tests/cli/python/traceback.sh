# What a kernel in Python raised: type, text and place in the report; with --verbose the traceback of its worker.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
assay fuzz --kernel raises --problem attention/fp32/b1/h1/s1/d1 2>quiet
grep -c Traceback quiet
for command in fuzz "bench --iters 2" "run tiny --only a --iters 2"; do
    set -- $command
    name=$1
    shift
    case $name in run) ;; *) set -- "$@" --problem attention/fp32/b1/h1/s1/d1 ;; esac
    assay "$name" "$@" --kernel raises --verbose >/dev/null 2>err
    echo "$name $?: $(grep -c 'worker: Traceback (most' err) $(grep -o 'worker: .*bad.py", line 21' err | head -1)"
done

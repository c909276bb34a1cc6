# slow: a busy machine is waited for
# measured beside a kernel in C in one worker, and resumed with the interpreter that began it
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
assay bench --kernel plain --vs naive --suite tiny --only a --iters 5 --until 5% >out 2>&1
code=$?
grep -E '^(plain|naive): ' out
case $code in 0 | 3) echo "measured, or the machine was busy" ;; *) cat out ;; esac
grep -o '"python_interpreter": *"[^"]*python3[^"]*"' runs/*/plan.json | head -1
PATH=/usr/bin:/bin VIRTUAL_ENV=/nowhere "$ASSAY" bench --resume last >out 2>&1
case $? in 0 | 3) echo "resumed" ;; *) cat out ;; esac

# a kernel that ends the interpreter, and one that hangs, lose their case and nothing else
CASE_S=2 . "$ASSAY_SOURCE/tests/cli/python/_project.sh"
assay bench --kernel exits,hangs --problem attention/fp32/b1/h1/s2/d2 --iters 5 >out 2>&1
echo "exit $?"
cat out

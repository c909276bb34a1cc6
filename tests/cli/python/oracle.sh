# A library as the oracle: alone it is itself held against float64, beside a kernel both are, and float64 decides.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/python/_fake
run() { assay fuzz --suite tiny "$@" 2>&1 | grep -v results:; echo "code ${PIPESTATUS[0]}"; }
run --oracle torch
run --oracle torch --kernel plain
run --oracle torch --kernel off | grep -v repeat:
run --oracle float64
run --oracle gut
run --oracle cudnn --device cpu

# slow: a busy machine is waited for
# what Triton's autotuner chose stands in the report, and rounds that chose otherwise are named (with a small stand-in for Triton)
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
fake=$ASSAY_SOURCE/tests/cli/python/_fake_triton
python3 -B "$ASSAY_SOURCE/tests/cli/python/_chosen.py" "$ASSAY_SOURCE/peers" "$fake" || exit 1
cat >kern/tuned.py <<P
import triton

import kern.plain as plain


def choose():  # otherwise every second time that it is asked
    try:
        with open("$PWD/asked", "a") as asked:
            asked.write("x")
    except OSError:
        return 0  # in a host
    return len(open("$PWD/asked").read()) % 2 == 0


CONFIGS = [triton.Config({"BLOCK_M": 128}, num_warps=8), triton.Config({"BLOCK_M": 64})]
attention = triton.Autotuner(triton.runtime.autotuner.JITFunction(plain.forward), CONFIGS, choose)


def forward(problem, inputs, outputs, stream):
    attention.run(problem, inputs, outputs, stream)
P
export PYTHONPATH=$fake
assay fuzz --kernel kern.tuned:forward --problem attention/fp32/b1/h1/s2/d2 >out 2>&1 || cat out
grep -o 'Triton 3[^|]*' out | head -1
assay bench --kernel kern.tuned:forward --problem attention/fp32/b1/h1/s2/d2 --iters 2 --rounds 5 >out 2>&1
case $? in 0 | 3) ;; *) cat out ;; esac
grep -E 'choose alike' out || cat out
grep -c '"text": "attention BLOCK_M' runs/*bench*/result.json

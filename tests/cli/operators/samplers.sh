# An operator whose results are drawn (`random`): `accept` gets 500 launches, on the same inputs or with a seed of their own each.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy
rm -f assay.yaml
python=$("$python" -c 'import sys; print(sys.executable)')
mkdir -p ops bin && ln -s "$python" bin/python3 && export PATH=$PWD/bin:$PATH
cat >ops/top_k.py <<'P'
import numpy as np

random = True

def inputs(batch=3, n=12, k=4):
    assert k <= n
    return {"logits": f"fp32[{batch}, {n}]"}

def weights(logits, k):
    p = np.exp(logits - logits.max(-1, keepdims=True))
    p[p < np.sort(p)[:, -k, None]] = 0
    return p / p.sum(-1, keepdims=True)

def reference(logits, k):
    return {"token": logits.argmax(-1).astype(np.int32)}

def accept(inputs, outputs, expected):
    p = weights(inputs["logits"].astype(np.float64), inputs["k"])
    tokens = outputs["token"] # of all launches: [launches, batch]
    rows = np.arange(tokens.shape[1])
    if not (p[rows, tokens] > 0).all():
        return "a token that is not among the k largest"
    if len(tokens) == 1:
        return None
    drawn, wanted = np.zeros_like(p), len(tokens) * p
    np.add.at(drawn, (np.broadcast_to(rows, tokens.shape), tokens), 1)
    often = wanted >= 5
    chi, freedom = ((drawn - wanted)[often] ** 2 / wanted[often]).sum(), often.sum()
    if chi > freedom + 2 * (18 * freedom) ** 0.5 + 36: # by chance once in 10^8
        return f"not drawn by probability: chi-square {chi:.0f}, {freedom} degrees of freedom"
P
sed 's/^random = True/random = "seed"/; s/"logits": \(.*\)}$/"logits": \1, "seed": "int64[1] bits"}/; s/(logits, k):$/(logits, k, seed=None):/' ops/top_k.py >ops/seeded.py
cat >mine.py <<'P'
import numpy as np
generator = np.random.default_rng()
launches = 0

def draw(logits, k, generator):
    p = np.exp(logits - logits.max(-1, keepdims=True))
    p[p < np.sort(p)[:, -k, None]] = 0
    sums = p.cumsum(-1, dtype=np.float64)
    at = generator.random(len(p))[:, None] * sums[:, -1:]
    return (sums <= at).sum(-1).astype(np.int32)

def honest(logits, k):
    return draw(logits, k, generator)

def argmax(logits, k):
    return logits.argmax(-1).astype(np.int32)

def all_tokens(logits, k):
    return draw(logits, logits.shape[1], generator)

def hotter(logits, k):
    return draw(logits * np.float32(3), k, generator)

def lazy(logits, k):
    global launches
    launches += 1
    return honest(logits, k) if launches < 600 else argmax(logits, k)

def seeded(logits, k, seed):
    return draw(logits, k, np.random.default_rng(abs(int(seed[0]))))

def ignores(logits, k, seed):
    return draw(logits, k, np.random.default_rng(7))

def unseeded(logits, k, seed):
    return draw(logits, k, generator)
P
fuzz() { assay fuzz "ops/$1.py" --kernel "mine:$2" "${@:3}" >out 2>&1; echo "$1, $2: exit $?"; sed -nE "s/: chi-square .*//; s/[0-9]+ of [0-9]+ elements/some elements/; /^ +('|right)|error/p" out | sort -u | head -2; }
fuzz top_k honest --problem batch=5
for kernel in argmax all_tokens hotter; do fuzz top_k $kernel --problem batch=3 --no-shrink; done
fuzz seeded seeded --problem batch=5
for kernel in ignores unseeded; do fuzz seeded $kernel --problem batch=33 --no-shrink; done # few rows may agree by chance
echo "--- one that draws as long as it is checked"
for kernel in honest lazy; do
    assay bench ops/top_k.py --kernel mine:$kernel --iters 20 --sample-time 0.1ms >out 2>&1; code=$?
    [ $kernel = lazy ] || { [ $code = 3 ] && code=0; } # right, and the machine was busy
    echo "$kernel: exit $code"; grep -o "'accept' refuses.*probability" out | sort -u
done
echo "--- audits, mistakes"
assay fuzz ops/top_k.py --audit --suite top_k | tail -1
sed 's/^    if len(tokens) == 1:/    if True:/' ops/top_k.py >ops/support.py
assay fuzz ops/support.py --audit --suite support | grep -c 'zeros passes\|stale passes\|passes in'
mistake() { sed "$1" ops/top_k.py >ops/one.py; assay list operators ops/one.py 2>&1 | sed -n 's/.*error: //p'; }
mistake 's/^random = True/random = 3/'
mistake 's/^random = True/random = "sead"/'
mistake 's/^def accept/def accepted/'

# slow: operators/python_file takes its branches
# What an operator's Python file declares where it does not say so itself: results are seen by running the reference on small inputs.
for python in python3 /usr/bin/python3; do "$python" -c 'import torch, numpy' 2>err && break; done
[ ! -s err ] || { echo "SKIPPED: no Python with PyTorch and NumPy"; exit 0; }
try() { printf "%s\n" "$2" >"$1.py"; names="$names $1"; } # its name; the file
try two "import torch
def inputs(rows=512, hidden=1024, k=8, eps=1e-5):
    assert k <= hidden
    return {'x': f'bf16[{rows}, {hidden}]', 'residual': f'bf16[{rows}, {hidden}]', 'eps': eps, 'k': k}
def reference(x, residual, eps, k):
    residual += x
    return residual, torch.topk(x.float(), k, dim=-1).indices.int(), torch.cat([x, x], -1), x.float().sum()"
try dict "import torch
def inputs(rows=512, hidden=1024):
    return {'x': torch.empty(rows, hidden, dtype=torch.float16, device='meta'), 'table': torch.empty(rows + 1, dtype=torch.int32, device='meta')}
def reference(x, table):
    return {'y': torch.nn.functional.softmax(x, -1) @ x.t(), 'scale': x.float().amax(-1), 'half': x[:, ::2]}"
try none "import torch
def inputs(n=512): return {'x': f'fp32[{n}]'}
def reference(x): return None"
try inplace "import torch
def inputs(n=512): return {'x': f'fp32[{n}]'}
def reference(x): x.mul_(2)"
try raises "import torch
def inputs(n=512): return {'x': f'fp32[{n}]'}
def reference(x): return x.reshape(3, 7)"
try data "import torch
def inputs(n=512): return {'x': f'fp32[{n}]'}
def reference(x): return x[x > 0]"
try with_numpy "import numpy as np
def inputs(rows=100, d=64, eps=1e-3): return {'x': f'bf16[{rows}, {d}]', 'w': f'bf16[{d}]', 'idx': f'int32[{rows}] below({rows})', 'eps': eps}
def reference(x, w, idx, eps): return (x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * w)[idx], np.float32(x.sum())"
try mixed "import numpy as np
def inputs(rows=100): return {'x': f'bf16[{rows}]', 'w': f'fp32[{rows}]'}
def reference(x, w): return x * w"
try needs "import torch
def inputs(rows=100): return {'x': f'bf16[{rows}]'}
def reference(x, w): return x * w"
try tensor "import torch
def inputs(rows=100, d=64): return {'x': torch.randn(rows, d)}
def reference(x): return x"
try generated "import torch
def inputs(rows=100, d=64):
    assert rows > 1 and rows <= 9 * d
    return {'kv_indices': torch.randint(0, d, (rows,)), 'x': 'fp32[3]'}
def reference(x): return x"
try lengths "import torch
def inputs(rows=100, d=64): return {'at': torch.randint(0, d, (torch.randint(9, rows, ()),)), 'x': f'fp32[{d}]'}
def reference(at, x): return x"
try view "import numpy as np
def inputs(rows=100, d=64): return {'x': np.zeros((d, rows)).T, 'y': f'fp32[{d}]'}
def reference(x, y): return y"
try no_size "import numpy as np
def inputs(rows=100): return {'x': f'fp32[{rows}, 0]'}
def reference(x): return x"
try no_axis "import numpy as np
def inputs(rows=100): return {'x': f'fp32[{rows}]'}
def reference(a): return a"
try default "import numpy as np
def inputs(rows=100): return {'x': f'fp32[{rows}]'}
def reference(x, *, scale=2.0, rows): return scale * x"
try objects "import numpy as np
def inputs(rows=100): return {'x': np.zeros(rows, np.uint16)}
def reference(x): return x"
try fp16matmul "import torch
def inputs(m=100, n=64, k=32): return {'a': f'fp16[{m}, {k}]', 'b': f'fp16[{k}, {n}]'}
def reference(a, b): return torch.nn.functional.gelu(a @ b)"
try paged "import torch
def inputs(batch=8, context=1024, page=16, heads=8):
    blocks = -(-context // page)
    return {'q': f'bf16[{batch}, {heads}, 128]', 'cache': f'bf16[{batch * blocks}, {page}, 2, 128]', 'table': f'int32[{batch}, {blocks}] unique({batch * blocks})', 'lengths': f'int32[{batch}] lengths({context})'}
def reference(q, cache, table, lengths):
    outs = []
    for b in range(q.shape[0]):
        kv = cache[table[b].long()].float().reshape(-1, 2, 128)[:lengths[b]]
        outs.append(torch.softmax(q[b].float() @ kv[:, 0].t(), -1) @ kv[:, 1])
    return torch.stack(outs).to(q.dtype)"
# In one interpreter, since PyTorch takes seconds to load.
cat >all.py <<'P'
import json
import os
import sys
import assay_declare
for name in sys.argv[1:]:
    print(name + ":", json.dumps(assay_declare.answer_of(os.path.abspath(name + ".py"), name)))
P
PYTHONPATH=$ASSAY_SOURCE/peers PYTHONDONTWRITEBYTECODE=1 "$python" all.py $names

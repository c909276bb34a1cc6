# SPDX-License-Identifier: Apache-2.0
"""What problem files of KernelBench's form declare: python3 _kernelbench.py PEERS."""
import sys
import types

sys.path.insert(0, sys.argv[1])

import torch  # noqa: E402
from torch import nn  # noqa: E402

import assay_kernelbench  # noqa: E402
from assay_call import Mismatch  # noqa: E402
from assay_results import Refused, is_kernelbench  # noqa: E402


def problem(get_inputs, forward, init=(), make=lambda self, *init: None):
    class Model(nn.Module):
        def __init__(self, *given):
            super().__init__()
            make(self, *given)

    Model.forward = forward
    module = types.SimpleNamespace(Model=Model, get_inputs=get_inputs, get_init_inputs=lambda: list(init))
    assert is_kernelbench(module)
    return module


def show(what, module):
    print("---", what)
    try:
        found = assay_kernelbench.Problem(module, "FILE")
    except Refused as error:
        return print(error)
    for name, value in [*found.inputs.items(), *found.outputs.items()]:
        if isinstance(value, assay_kernelbench.Tensor):
            value = "%s%s %s" % (value.dtype, [int(size) for size in value.sizes], value.words)
        print("%s: %s" % (name, value))
    return found.text


def parts(self, width):
    self.lin = nn.Linear(width, 4)
    self.lin.bias.data.zero_()
    self.norm = nn.BatchNorm1d(4)
    self.register_buffer("table", torch.arange(4.0))


show("as they are drawn", problem(lambda: [torch.rand(3, 4), torch.randn(5).half(), torch.randint(0, 7, (2,)), torch.randint(9, (2,))],
                                  lambda self, a, b, c, d: (a, d.sum())))
show("computed of what is drawn", problem(lambda: [torch.rand(3, 4).tril(), torch.rand(2).mul_(2), torch.randint(2, 7, (2,)),
                                                   torch.randint(0, 2, (2,)).float(), torch.rand(2).to(torch.int32)],
                                          lambda self, a, *rest: a))
show("numbers", problem(lambda: [torch.rand(3).to("cpu").to(torch.bfloat16), 2, 0.5, None, "sum", True], lambda self, x, *rest: {"y": x}))
show("get_inputs looks at numbers", problem(lambda: [torch.rand(3) if torch.rand(1).item() < 2 else None], lambda self, x: x * x.max().item()))
module = problem(lambda: [torch.rand(8, 16)], lambda self, x: self.norm(self.lin(x)) + self.table, [16], parts)
text = show("parameters and buffers", module)
made = assay_kernelbench.maker(module, text)()
print({name: tuple(value.shape) for name, value in made.items()})
function = assay_kernelbench.ModuleFunction(module.Model, text)
given = [torch.rand(8, 16), torch.ones(4, 16), torch.zeros(4), torch.ones(4), torch.zeros(4), torch.ones(4), torch.zeros(4), torch.ones(4)]
first = function(*given)
given[1] = 2 * given[1]
print("follows its tensors:", torch.allclose(function(*given) - 1, (first - 1) * 2), "and has no copy:",
      function.module.lin.weight.data_ptr() == given[1].data_ptr())
other = assay_kernelbench.ModuleFunction(problem(list, lambda self, x: x, [16], lambda self, n: setattr(self, "w", nn.Linear(n, 3))).Model, text)
try:
    other(*given)
except Mismatch as error:
    print(error)
show("a name that is too long", problem(lambda: [torch.rand(2)], lambda self, x: x, (), lambda self: self.add_module("n" * 50, nn.Linear(1, 1))))
print("--- refused")
for module in (problem(lambda: 1 / 0, lambda self, x: x), problem(lambda: torch.tensor(3), lambda self, x: x),
               problem(lambda: [object()], lambda self, x: x), problem(lambda: [torch.rand(2)], lambda self, x: 3),
               problem(lambda: [torch.rand(2)], lambda self, x: x + torch.rand(3)), problem(lambda: [], lambda self: None, [object]),
               problem(lambda: [torch.rand(2, dtype=torch.complex64)], lambda self, x: x)):
    show("", module)

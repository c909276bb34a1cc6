# SPDX-License-Identifier: Apache-2.0
# Run by python_reference.sh: what a reference writes, and the type that comes of it in float64.
import sys

import torch

sys.path.insert(0, sys.argv[1])
from assay_float64 import Float64  # noqa: E402



@torch.overrides.wrap_torch_function(lambda value: (value,))
def opaque(value):
    return value.float()


torch.set_default_dtype(torch.float64)
x = torch.full((4,), 1 / 3, dtype=torch.float64)
constant = torch.full((4,), 1 / 3, dtype=torch.float32)
with Float64():
    results = {
        ".float()": x.float(), ".half()": x.half(), ".bfloat16()": x.bfloat16(), ".to()": x.to(torch.bfloat16), ".to(dtype=)": x.to(dtype=torch.half),
        ".to(x.dtype)": x.to(x.dtype), ".to(constant)": x.to(constant), ".type()": x.type(torch.float32), ".type(text)": x.type("torch.HalfTensor"),
        "zeros": torch.zeros(4), "zeros(dtype)": torch.zeros(4, dtype=torch.float32), "tensor": torch.tensor([1.0]), "arange": torch.arange(4, dtype=torch.float32),
        "full_like": torch.full_like(x, 1, dtype=torch.half), "softmax": torch.softmax(x, 0, dtype=torch.float32), "sum": x.sum(dtype=torch.float32),
        "functional": torch.nn.functional.softmax(x, dim=-1, dtype=torch.float32), "constant * x": constant * x, "constant + 1": constant + 1,
        "max": torch.max(x.float(), 0).values, "int8": x.to(torch.int8), "int64": x.long(), "bool": x > 0, "complex": torch.zeros(4, dtype=torch.complex64)}
    for name, made in results.items():
        print(name, made.dtype, "exact" if made.is_floating_point() and made.flatten()[0] == 1 / 3 else "")
    for cast in (x.float(), x.to(torch.float32)):
        cast += 1
    print("x is unchanged:", x[0].item() == 1 / 3)
    print(torch.finfo(torch.bfloat16).bits, torch.get_default_dtype())
    for refused in (lambda: x.view(torch.int64), lambda: opaque(x)):
        try:
            refused()
        except Exception as error:
            print(error)

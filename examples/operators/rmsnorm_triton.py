# SPDX-License-Identifier: Apache-2.0
"""RMSNorm in Triton: a program a row. The function that assay calls gets the tensors of the declaration by
their names."""
import triton
import triton.language as tl


@triton.jit
def rmsnorm_row(X, W, Y, hidden, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * hidden
    columns = tl.arange(0, BLOCK)
    mask = columns < hidden
    x = tl.load(X + row + columns, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + columns, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) / hidden + eps) * w
    tl.store(Y + row + columns, y.to(Y.dtype.element_ty), mask=mask)


def rmsnorm(problem, inputs, outputs, stream):
    rmsnorm_row[(problem.rows,)](inputs.x, inputs.weight, outputs.y, problem.hidden, problem.eps,
                                 BLOCK=triton.next_power_of_2(problem.hidden))


# A row is one block: up to 65536 columns.
rmsnorm.supports = lambda problem: None if problem.hidden <= 65536 else "at most 65536 columns"

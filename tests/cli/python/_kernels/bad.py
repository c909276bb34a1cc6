# SPDX-License-Identifier: Apache-2.0
"""Kernels that are wrong, each in its own way; the right part is plain's."""
import os
import sys
import time

import kern.plain as plain


def off(problem, inputs, outputs, stream):
    plain.forward(problem, inputs, outputs, stream)
    out = outputs.out.memory().cast("f")
    out[1] += 0.5


def unwritten(problem, inputs, outputs, stream):
    pass


def raises(problem, inputs, outputs, stream):
    return {}["a key"]


def returns_object(problem, inputs, outputs, stream):
    return {"out": 1}


def writes_input(problem, inputs, outputs, stream):
    inputs.q.memory()[0] = 1


def says_exit(problem, inputs, outputs, stream):
    sys.exit(3)


def exits(problem, inputs, outputs, stream):
    if seen:  # prepare's own call was the first
        print("about to go", file=sys.stderr)
        os._exit(5)
    seen.append(1)


seen = []


def hangs(problem, inputs, outputs, stream):
    time.sleep(1000)


def picky(problem, inputs, outputs, stream):
    if problem.causal:
        raise NotImplementedError("no masks here")
    plain.forward(problem, inputs, outputs, stream)


def modest(problem, inputs, outputs, stream):
    plain.forward(problem, inputs, outputs, stream)


modest.supports = lambda problem: None if problem.head_dim <= 8 else "head_dim %d is too large" % problem.head_dim


class Mute(Exception):
    def __str__(self):
        raise SystemExit("no words")


def mute(problem, inputs, outputs, stream):
    raise Mute()


def mute_supports(problem, inputs, outputs, stream):
    plain.forward(problem, inputs, outputs, stream)


def raise_mute(problem):
    raise Mute()


mute_supports.supports = raise_mute

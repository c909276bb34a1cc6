# SPDX-License-Identifier: Apache-2.0
"""peers/assay_call.py alone: what functions are given, and what is said of those that do not fit."""
import functools
import sys
import types

sys.path.insert(0, sys.argv[1])
import assay_call


def spec(role, is_input=False, is_inout=False):
    return types.SimpleNamespace(role=role, is_input=is_input, is_inout=is_inout)


problem = types.SimpleNamespace(op="norm", specs=[spec("x", True), spec("weight", True), spec("state", is_inout=True), spec("y"),
                                                  spec("total")],
                                axes={"rows": 2}, scalars={"rows": 2, "eps": 0.5})
tensors = {name.role: name.role.upper() for name in problem.specs}
Y = tensors["y"]


def show(function, order=None, **returned):
    name = "m:" + getattr(function, "__name__", "partial")
    try:
        bound = assay_call.bind(function, problem, order, name)
        print(name, bound.caller(tensors)("stream"), "due", bound.due)
        for what in returned.values():
            print("   ", what, "->", list(bound.results(what, tensors)))
    except assay_call.Mismatch as error:
        print(error)


def named(x, /, weight, flag=True, *rest, eps, rows=7, other=3, stream, **more): return x, weight, flag, rest, eps, rows, other, stream
def writes(x, y, total): return x, y, total
def keeps_total(total, x, y, weight=None): return total, x, y, weight
def renamed(a, b, c, s=None): return a, b, c, s
def misnamed(x, w): pass
def nameless(*tensors): pass
def defaults_only(flag=1): pass


show(named, pair=("Y1", "T1"), of_dict={"total": "T1", "y": "Y1", "state": "S1"}, three=(1, 2, 3))
show(named, none=None)
show(named, unknown={"z": 1})
show(named, not_all={"y": 1})
show(named, one="Y1")
show(writes, nothing=None, itself=Y, both=[Y, tensors["total"]], new="Y1")
show(keeps_total, nothing=None, of_dict={"state": "S1"})
show(renamed, ["x", "y", "total", "stream"])
show(renamed, ["x", "y", "totl"])
show(functools.partial(named, weight="w", eps=1, stream=0), pair=("Y1", "T1"))
show(max, ["x", "y"])
for function in (misnamed, nameless, defaults_only, max):
    show(function)
print(assay_call.split("m:f"), assay_call.split("m.n:f.g(x, y )"))
print([assay_call.takes_problem(f) for f in (lambda problem, inputs, outputs, stream: 0, named, max)])

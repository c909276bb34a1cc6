# SPDX-License-Identifier: Apache-2.0
"""Files that measure with triton.testing: a function under `perf_report` is an operator that has times alone, and a provider a kernel.

Of a call with a problem's sizes only what it does up to `do_bench` happens: the closure that is given there is the launch. What the file
would measure, print or draw by itself while it is imported is left out.
"""
import contextlib
import inspect
import sys
import types

import assay_results
from assay_results import Refused

SIZE_MAX = 1 << 40
TEXT = "report"  # of an operator, in place of how classes are made


class Found(BaseException):
    """The call has come to do_bench; no `except Exception` of the file keeps it."""

    def __init__(self, launch):
        self.launch = launch


def take(fn, *args, grad_to_none=None, **kwargs):
    def launch():
        for tensor in grad_to_none:
            tensor.grad = None
        return fn()
    raise Found(launch if grad_to_none else fn)


def prepare_testing():
    """Before the file is imported: what it takes of triton.testing tells assay what it would measure."""
    try:
        import triton.testing as testing
    except ImportError:
        import assay_triton_testing as testing
        triton = types.ModuleType("triton")
        triton.testing, triton.__version__ = testing, "is not installed"
        sys.modules.update({"triton": triton, "triton.testing": testing})
    testing.do_bench = testing.do_bench_cudagraph = take
    testing.Mark.run = lambda self, *args, **kwargs: None


def reports_of(module):
    """By name: what has a function and benchmarks, as triton.testing.Mark has."""
    return {name: value for name, value in vars(module).items() if hasattr(value, "fn") and hasattr(value, "benchmarks")}


def plots_of(mark):
    return list(mark.benchmarks) if isinstance(mark.benchmarks, (list, tuple)) else [mark.benchmarks]


def values_of(plot, x):
    """What a value of x_vals gives the names of x."""
    return dict(zip(plot.x_names, x if isinstance(x, (list, tuple)) else [x] * len(plot.x_names)))


def configurations(mark):
    """Pairs: the axes of a problem, and what the function is called with, but for the provider."""
    plots = plots_of(mark)
    named = [(number, plot, values_of(plot, x)) for number, plot in enumerate(plots, 1) for x in plot.x_vals]
    has_sizes = all(isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= SIZE_MAX for _, _, values in named for v in values.values())
    has_sizes &= len({tuple(plot.x_names) for plot in plots}) == 1
    found = []
    for i, (number, plot, values) in enumerate(named, 1):
        axes = {**values, **({"plot": number} if len(plots) > 1 else {})} if has_sizes else {"case": i}
        found.append((axes, {**getattr(plot, "args", {}), **values}))
    return found


class Problem:
    """What such a file declares: axes and problems, and `text`, of which Provider is made."""

    def __init__(self, module, wanted):
        reports = reports_of(module)
        self.name = wanted if wanted in reports else next(iter(reports))
        if len(reports) > 1 and wanted not in reports:
            raise Refused("it has the reports %s; name one as the operator in the manifest, such as 'operators: {%s: FILE.py}'"
                          % (", ".join(reports), self.name))
        found = configurations(reports[self.name])
        if not found:
            raise Refused("'%s' has no x_vals" % self.name)
        self.axes = found[0][0]
        self.problems = [dict(t) for t in dict.fromkeys(tuple(axes.items()) for axes, _ in found)]
        self.text = TEXT


class Provider:
    """A provider of a report as a kernel that is given no tensors."""

    def __init__(self, mark, name):
        known = {str(value): (plot.line_arg, value) for plot in plots_of(mark) for value in plot.line_vals}
        if name not in known:
            raise KeyError("there is no provider '%s'; there are %s" % (name, ", ".join(known)))
        self.mark, self.line = mark, known[name]
        self.tensors = "torch" if "torch" in sys.modules else "assay"
        self.launches = {}  # by problem

    def launch_of(self, problem):
        axes = dict(problem.axes)
        arguments = next((given for wanted, given in configurations(self.mark) if wanted == axes), None)
        if arguments is None:
            raise NotImplementedError("the file has no such sizes")
        assay_results.seed_all(0)
        try:
            self.mark.fn(**{**arguments, self.line[0]: self.line[1]})
        except Found as found:
            return found.launch
        raise NotImplementedError("the function gave do_bench nothing to measure")

    def __call__(self, problem, inputs, outputs, stream):
        launch = self.launches.get(problem.name)
        if launch is None:
            with grad():
                launch = self.launches[problem.name] = self.launch_of(problem)
        with grad():
            launch()

    @property
    def __signature__(self):
        return inspect.signature(lambda problem, inputs, outputs, stream: None)


def grad():
    """As the file is used to: what it measures may be a backward pass."""
    return sys.modules["torch"].enable_grad() if "torch" in sys.modules else contextlib.nullcontext()

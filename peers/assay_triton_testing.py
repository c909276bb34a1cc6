# SPDX-License-Identifier: Apache-2.0
"""What `triton.testing` offers to a file that measures, for an interpreter without Triton: the names, and nothing that measures."""


class Benchmark:
    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names=None, plot_name="", args=None, **kwargs):
        self.x_names, self.x_vals, self.line_arg, self.line_vals = x_names, x_vals, line_arg, line_vals
        self.line_names, self.plot_name, self.args = line_names, plot_name, args or {}


class Mark:
    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks

    def run(self, *args, **kwargs):
        """assay measures."""


def perf_report(benchmarks):
    return lambda fn: Mark(fn, benchmarks)


def do_bench(fn, *args, **kwargs):
    raise RuntimeError("assay measures, and calls this function itself")


do_bench_cudagraph = do_bench

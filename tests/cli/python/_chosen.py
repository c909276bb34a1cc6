# SPDX-License-Identifier: Apache-2.0
"""What the bridge says of autotuned kernels: those of the module, below heuristics too, each once, and none that did not run."""
import sys
import types

sys.path[:0] = sys.argv[1:3]  # peers/, the stand-in for Triton
import assay_bridge as bridge
import triton
from triton.runtime.autotuner import JITFunction

configs = [triton.Config({"BLOCK_M": 128, "BLOCK_N": 64}, num_warps=8), triton.Config({"BLOCK_M": 64}, num_stages=None)]


def tuner(choice):
    return triton.Autotuner(JITFunction(lambda *a: None), configs, lambda: choice)


class Hostile:
    @property
    def fn(self):
        raise KeyboardInterrupt


module = types.ModuleType("kern")
module.fwd, module.idle, module.bwd = tuner(0), tuner(0), triton.Heuristics(tuner(1))
module.again, module.plain, module.hostile = module.fwd, JITFunction(len), Hostile()
side = bridge.Side(lambda problem, inputs, outputs, stream: None, module, None, "cpu")
print(sorted(bridge.autotuners(side)))


class World:
    versions = []

    def scratch(self, spec):
        return object()

    def run(self, function, stream):
        return function(stream)

    def finish(self):
        pass


def forward(problem, inputs, outputs, stream):
    module.fwd.run()
    if problem.is_long:
        module.bwd.run()


side.function = forward
for is_long in (True, False):  # what was chosen for an earlier problem is not said of the next
    bridge.make_world = lambda side, problem: World()
    prepared = bridge.Prepared(side, types.SimpleNamespace(specs=[], is_long=is_long))
    print(prepared.warm().split("; ")[1])

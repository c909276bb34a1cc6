# SPDX-License-Identifier: Apache-2.0
"""Processors and threads of an interpreter that runs kernels: what is set before a library that starts threads is loaded."""
import contextlib
import os

IS_FORKED = False  # from an interpreter that had imported PyTorch (assay_fork_server.py)
FULL_MASK = os.sched_getaffinity(0)  # before assay pins its threads


def set_environment():
    """Idle OpenMP threads spin for a short time, then sleep. They must sleep before another side is measured; a thread that still runs
    5 ms after a launch counts as late work. They must not sleep at once: waking them costs tens of microseconds that vary, and the
    next launch of a batch follows soon. GNU: 20000 spins are 0.3 to 1 ms (default: 300000). LLVM, Intel: KMP_BLOCKTIME is in ms.
    """
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # makes cuBLAS repeatable; set before cuBLAS reads it
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "20000")
    os.environ.setdefault("KMP_BLOCKTIME", "1")


@contextlib.contextmanager
def full_mask():
    """Unpins this thread while a module is loaded: threads that the module starts inherit the processor mask of this moment."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, FULL_MASK)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def bind_openmp():
    """Pins OpenMP threads of libraries that are loaded later as assay's threads are: thread i on the i-th processor. Unpinned
    threads migrate from sample to sample. Does nothing if the user has set a binding.
    """
    said = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
    if not any(name in os.environ for name in said):
        os.environ["OMP_PLACES"] = ",".join("{%d}" % processor for processor in sorted(FULL_MASK))
        os.environ["OMP_PROC_BIND"] = "close"

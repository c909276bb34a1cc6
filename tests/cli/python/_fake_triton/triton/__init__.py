# SPDX-License-Identifier: Apache-2.0
"""A small stand-in for Triton: its classes by name, and an autotuner that is told what to choose."""
from triton.runtime.autotuner import Autotuner, Config, Heuristics  # noqa: F401

__version__ = "3.0.0"

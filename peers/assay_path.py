# SPDX-License-Identifier: Apache-2.0
"""The user's PYTHONPATH. assay gives it to no interpreter of its own as it is: its folders come before Python's, so that a project's
sitecustomize.py, or a file named like one of Python's modules, would run before the interpreter is confined.
"""
import os
import sys

VARIABLE = "ASSAY_PYTHONPATH"  # base/process/clean_environment.h


def places():
    said = os.environ.get(VARIABLE)
    return [os.path.abspath(place) for place in said.split(os.pathsep)] if said else []


def restore():
    """As if the interpreter had started with it, but for sitecustomize. Nothing may be imported from then on until it is confined."""
    sys.path[:] = list(dict.fromkeys(sys.path[:1] + places() + sys.path[1:]))
    if VARIABLE in os.environ:
        os.environ["PYTHONPATH"] = os.environ.pop(VARIABLE)  # for programs that kernels start

# SPDX-License-Identifier: Apache-2.0
"""Checks, measures and compares compute kernels: a thin layer over the program ``assay``, which does all of it.

    import assay, mine

    run = assay.check(mine.rmsnorm, "ops/rmsnorm.py")      # is it right?
    run = assay.bench(mine.rmsnorm, "ops/rmsnorm.py")      # how fast is it?
    run = assay.gate(mine.rmsnorm, "ops/rmsnorm.py", baseline="git:merge-base")   # did it get worse?

A *kernel* is a function of a file, or a name as the program takes it: of the manifest, ``MODULE:FUNCTION``, a peer. An *operator* is
the Python file that declares it; without one the manifest says it. Further options are the program's own, by name: ``problem="rows=17"``,
``device="cuda:0"``, ``rounds=5``, ``no_check=True`` (``assay fuzz --help``). The program runs in ``cwd`` (default: the current folder):
there it finds ``assay.yaml``, and there it leaves ``runs/``. Kernels in Python run in the interpreter that imported this module,
unless the manifest names another.
"""
from __future__ import annotations

import html
import json as _json
import os
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import document
from ._program import Ended, Error, Kernel, Option, StrPath, arguments_of, failed, kernel_of, program, run as _run
from ._read import members

__all__ = ["Comparison", "Error", "Kernel", "Option", "Run", "bench", "check", "compare", "document", "gate", "program"]
_SMALLEST = "smallest problem that fails in the same way: "


def _page(json: Dict[str, Any]) -> str:
    """The program's HTML report in a frame, so that neither style reaches the other."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        with open(path, "w", encoding="utf-8") as file:
            _json.dump(json, file)
        ended = _run(["report", path, "--html", "--output", "-"])
    if not ended.stdout.startswith("<!DOCTYPE"):
        raise failed(ended)
    return f'<iframe srcdoc="{html.escape(ended.stdout)}" style="width: 100%; height: 40em; border: 0"></iframe>'


@dataclass(frozen=True, repr=False)
class Run(document.Result):
    """A result document (``sides``, ``checks``, ``cases``, ``decision``, ...: docs/result-format.md), and how it came about."""

    exit_code: int = 0
    """The program's decision: 0 right, measured, nothing got worse; 1 wrong or a regression; 3 undecided or not valid."""

    text: str = ""
    """The report as the program prints it."""

    json: Dict[str, Any] = field(default_factory=dict)
    """The document as it was written."""

    @property
    def ok(self) -> bool:
        """Whether the decision is 0."""
        return self.exit_code == 0

    @property
    def smallest(self) -> Optional[str]:
        """Of a kernel that is wrong: the smallest problem that the program found to fail in the same way, what is wrong there, and the
        command that repeats it; ``None`` if it found none smaller than those of ``checks``."""
        start = self.text.find(_SMALLEST)
        if start < 0:
            return None
        lines = self.text[start + len(_SMALLEST):].splitlines()
        count = next((i for i, line in enumerate(lines) if i and not line.startswith(" ")), len(lines))
        return "\n".join(lines[:count])

    def __repr__(self) -> str:
        return f"<assay.Run {self.run_id or ''}: exit code {self.exit_code}>"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return _page(self.json)


@dataclass(frozen=True, repr=False)
class Comparison(document.Decision):
    """What two files say of each other: ``verdict``, ``exit_code``, ``sentence``, ``cases``, ... (docs/deciding.md)."""

    baseline: Optional[str] = None
    """The first file."""

    candidate: Optional[str] = None
    """The second."""

    format: Optional[str] = None
    """The form of both: ``assay list formats``."""

    warnings: Tuple[str, ...] = ()
    """Sentences."""

    json: Dict[str, Any] = field(default_factory=dict)
    """The document as it was written."""

    @property
    def ok(self) -> bool:
        """Whether the decision is 0: maintained, or an improvement."""
        return self.exit_code == 0

    def __repr__(self) -> str:
        return f"<assay.Comparison: {self.sentence}>"

    def _repr_html_(self) -> str:
        return _page(self.json)


def _document(arguments: Sequence[str], cwd: Optional[StrPath], folders: Sequence[str] = ()) -> Tuple[Ended, Dict[str, Any]]:
    """Runs the program. What it wrote to --output; its error if it wrote nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "document.json")
        ended = _run([*arguments, "--output", path], cwd, folders)
        try:
            with open(path, encoding="utf-8") as file:
                json: Dict[str, Any] = _json.load(file)
        except (OSError, ValueError):
            raise failed(ended) from None
    return ended, json


def _measure(command: str, kernels: Dict[str, Sequence[Kernel]], operator: Optional[StrPath], cwd: Optional[StrPath],
             options: Dict[str, Option], folders: Sequence[str] = ()) -> Run:
    """``kernels``: by the name of the option that takes them; ``folders``: where kernels in Python are looked for, beside theirs."""
    arguments: List[str] = [command] + ([] if operator is None else [os.fspath(operator)])
    for option, some in kernels.items():
        found = [kernel_of(one) for one in some]
        folders = [*folders, *(folder for _, folder in found if folder)]
        arguments += arguments_of({option: [name for name, _ in found] or None})
    ended, json = _document([*arguments, *arguments_of(options)], cwd, folders)
    return members(Run, json, exit_code=ended.exit_code, text=ended.stdout, json=json)


def check(kernel: Kernel, operator: Optional[StrPath] = None, *, cwd: Optional[StrPath] = None, **options: Option) -> Run:
    """Is it right? Every element of every output against float64, on many problems (``assay fuzz``). ``.ok`` says so, ``.smallest``
    is the smallest problem that fails, ``.checks[i].checks[0]`` the outcome of each problem.

    Raises Error if it could not be checked: no such kernel, no device, a reference that is at fault."""
    return _measure("fuzz", {"kernel": [kernel]}, operator, cwd, options)


def bench(kernel: Kernel, operator: Optional[StrPath] = None, *, vs: Union[Kernel, Sequence[Kernel]] = (), cwd: Optional[StrPath] = None,
          **options: Option) -> Run:
    """How fast is it, beside the kernels of ``vs``, in the same run (``assay bench``)? ``.cases[i].summary[j].median_ns`` is the time
    of a launch in nanoseconds of the problem i and the kernel ``.sides[j]``, with ``median_low_ns`` and ``median_high_ns``.

    Waits while another assay measures on the device. Raises Error as check does, and with ``no_wait=True`` (75) instead of waiting."""
    peers = [vs] if isinstance(vs, str) or callable(vs) else vs
    return _measure("bench", {"kernel": [kernel], "vs": peers}, operator, cwd, options)


def gate(kernel: Kernel, operator: Optional[StrPath] = None, *, baseline: Kernel, cwd: Optional[StrPath] = None,
         **options: Option) -> Run:
    """Did it get worse than ``baseline``: a kernel, ``git:REV``, ``git:merge-base``, or a result file (``assay gate``)? Both are measured
    in rounds of fresh processes. ``.exit_code`` and ``.decision`` are the verdict.

    Waits and raises as bench does; Error (1) for a candidate that does not build."""
    return _measure("gate", {"candidate": [kernel], "baseline": [baseline]}, operator, cwd, options)


def compare(baseline: StrPath, candidate: StrPath, *, cwd: Optional[StrPath] = None, **options: Option) -> Comparison:
    """Decides between two result files, of assay or of another tool (``assay compare``; docs/foreign-files.md). Exit code 0:
    maintained or improved, 1 a regression, 2 no significant difference, 3 not valid or not comparable.

    Raises Error for files that cannot be read (65, 66)."""
    _, json = _document(["compare", os.fspath(baseline), os.fspath(candidate), *arguments_of(options)], cwd)
    return members(Comparison, json, json=json)

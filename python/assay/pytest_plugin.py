# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: a fixture ``assay`` whose check fails a test with the smallest failing problem, and ``--assay-gate``, which makes
one gate of all tests that are marked ``assay_gate`` (docs/python-module.md). Workers of pytest-xdist may call what they like: the
program measures one at a time on a device, whoever asks, and waits for its turn."""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar, Union

import pytest

import assay as module

from ._program import Kernel, StrPath, kernel_of

T = TypeVar("T")
WANTED = "assay_gate"  # in the user properties of a report, which xdist carries to the process that decides


class Assay:
    """The module's functions for one test: a result that is not right fails it."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request

    def check(self, kernel: Kernel, operator: Optional[StrPath] = None, **options: Any) -> module.Run:
        """``assay.check``. Fails the test if the kernel is wrong; in a marked test, with ``--assay-gate``, asks for its gate too."""
        run = answer(module.check, kernel, operator, **options)
        if not run.ok:
            fail("is wrong" if run.exit_code == 1 else "could not be checked everywhere", kernel, run)
        marker = self._request.node.get_closest_marker("assay_gate")
        if marker is not None and self._request.config.getoption("--assay-gate"):
            self._ask(kernel, operator, {**{name: options[name] for name in ("device", "manifest") if name in options}, **marker.kwargs},
                      options.get("cwd"))
        return run

    def _ask(self, kernel: Kernel, operator: Optional[StrPath], options: Dict[str, Any], cwd: Optional[StrPath]) -> None:
        name, folder = kernel_of(kernel)
        wanted = {"kernel": name, "folder": folder, "operator": operator and str(operator), "options": options,
                  "cwd": os.path.abspath(cwd or os.curdir)}
        self._request.node.user_properties.append((WANTED, json.dumps(wanted, sort_keys=True, default=str)))

    def bench(self, kernel: Kernel, operator: Optional[StrPath] = None, *, vs: Union[Kernel, Sequence[Kernel]] = (),
              **options: Any) -> module.Run:
        """``assay.bench``. Fails the test if a kernel is wrong; one that is not valid (3) is returned."""
        run = answer(module.bench, kernel, operator, vs=vs, **options)
        if run.exit_code not in (0, 3):
            fail("was not measured", kernel, run)
        return run

    def gate(self, kernel: Kernel, operator: Optional[StrPath] = None, *, baseline: Kernel, **options: Any) -> module.Run:
        """``assay.gate`` at once, for this test alone. Fails it if the decision is not 0."""
        run = answer(module.gate, kernel, operator, baseline=baseline, **options)
        if not run.ok:
            fail("does not pass its gate", kernel, run)
        return run

    def compare(self, baseline: StrPath, candidate: StrPath, **options: Any) -> module.Comparison:
        """``assay.compare``; fails nothing."""
        return answer(module.compare, baseline, candidate, **options)


def answer(function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """What the module's function returns; where the program has no answer, its sentence fails the test."""
    __tracebackhide__ = True
    try:
        return function(*arguments, **options)
    except module.Error as error:
        said = f"{error} (exit code {error.exit_code})"
    pytest.fail(said, pytrace=False)


def fail(what: str, kernel: Kernel, run: module.Run) -> None:
    __tracebackhide__ = True
    name = kernel if isinstance(kernel, str) else kernel_of(kernel)[0]
    pytest.fail(f"{name} {what} (exit code {run.exit_code})\n{run.smallest or wrong_of(run) or moved_of(run) or run.text}", pytrace=False)


def wrong_of(run: module.Run) -> str:
    """Of the problems that are not right, the one with the fewest elements; "" if there is none."""
    wrong = [(sum(one.element_count or 0 for one in check.tensors), case.problem, check)
             for case in (*run.checks, *run.cases) for check in case.checks if check.outcome not in ("OK", "SKIPPED", "UNSUPPORTED")]
    if not wrong:
        return ""
    _, problem, check = min(wrong, key=lambda one: one[:2])
    return f"{problem}\n  {check.outcome}: {check.message or check.finding or ''}"


def moved_of(run: module.Run) -> str:
    """Of a gate: the decision, and the problems that did not hold."""
    if run.decision is None:
        return ""
    cases = [one for one in run.decision.cases if one.verdict not in ("improvement", "maintained", "same_code", "added")]
    lines = [f"  {one.short_name or one.name}: {one.verdict}" + (f", {one.change_pct:+.1f} %" if one.change_pct is not None else "")
             for one in cases]
    return "\n".join([run.decision.sentence or "", *lines])


@pytest.fixture
def assay(request: pytest.FixtureRequest) -> Assay:
    """Checks, measures and gates kernels with assay (docs/python-module.md)."""
    return Assay(request)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("assay").addoption("--assay-gate", metavar="BASELINE", help="after the tests, one gate of all kernels that tests marked"
                                       " 'assay_gate' checked, against BASELINE: git:merge-base, git:REV, a result file")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "assay_gate(**options): with --assay-gate the kernels that this test checks are gated; options are "
                            "those of 'assay gate', as problem='rows=17'")
    if config.getoption("--assay-gate") and not hasattr(config, "workerinput"):  # xdist's workers leave it to the process that started them
        config.pluginmanager.register(Gate(config.getoption("--assay-gate")), "assay_gate_of_session")


class Gate:
    """One decision over all kernels that marked tests asked for: that of the worst, 1 before 3 before 0, as `assay gate --all`."""

    def __init__(self, baseline: str) -> None:
        self.baseline = baseline
        self.wanted: List[str] = []
        self.decided: List[Tuple[str, int, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            self.wanted += [str(text) for name, text in report.user_properties if name == WANTED and text not in self.wanted]

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return
        for text in sorted(self.wanted):  # workers of xdist end in any order
            self.decided.append(self.decide(**json.loads(text)))
        if self.code() and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def decide(self, kernel: str, folder: Optional[str], operator: Optional[str], options: Dict[str, Any],
               cwd: str) -> Tuple[str, int, str]:
        try:
            run = module._measure("gate", {"candidate": [kernel], "baseline": [self.baseline]}, operator, cwd, options,
                                  [folder] if folder else [])
        except module.Error as error:
            return kernel, error.exit_code, error.sentence
        return kernel, run.exit_code, run.decision.sentence or "" if run.decision else run.text

    def code(self) -> int:
        """1 if one got worse, else the first that is not 0 (3: undecided; 64 and more: no answer), else 0."""
        codes = [code for _, code, _ in self.decided]
        return 1 if 1 in codes else next((code for code in codes if code), 0)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section(f"assay gate against {self.baseline}")
        for kernel, code, sentence in self.decided:
            terminalreporter.line(f"{kernel}: {sentence} (exit {code})")
        count = len(self.decided)
        terminalreporter.line(f"one decision over {count} kernel{'' if count == 1 else 's'}: exit {self.code()}" if count
                              else "no test marked 'assay_gate' checked a kernel: nothing was gated")

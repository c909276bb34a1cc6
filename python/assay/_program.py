# SPDX-License-Identifier: Apache-2.0
"""Starting the program: where it is, what a kernel is called, and what it says when it fails."""
import importlib.metadata
import os
import pathlib
import shutil
import signal
import subprocess
import sys
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

Kernel = Union[str, Callable[..., Any]]
Option = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[str]]
StrPath = Union[str, "os.PathLike[str]"]
WITHIN = "ASSAY_PYTHON_MODULE"  # set while the program runs for this module


class Error(Exception):
    """The program could not answer. ``str()`` is its sentence, ``exit_code`` its code (docs/commands.md): 1 a kernel that does not
    build, 64 usage, 65 or 66 bad or missing input, 69 a device, program or package is missing, 75 another assay measures
    (``no_wait=True``), 78 a bad manifest, 130 interrupted. ``command`` is what was run."""

    def __init__(self, sentence: str, exit_code: int, command: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.exit_code = exit_code
        self.command = tuple(command)


class Ended(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str
    command: List[str]


def program() -> str:
    """The path of the program: of the variable ASSAY, else the one that was installed with this module, else of PATH."""
    named = os.environ.get("ASSAY")
    if named:
        return named
    try:
        files = importlib.metadata.distribution("assay").files or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "assay" and file.parent.name == "bin" and os.access(file.locate(), os.X_OK):
            return os.path.realpath(file.locate())
    found = shutil.which("assay")
    if found is None:
        raise Error("there is no program 'assay': install the wheel, put it on PATH, or name it in ASSAY", 69)
    return found


def kernel_of(kernel: Kernel) -> Tuple[str, Optional[str]]:
    """What the program calls a kernel, and the folder that Python must look into to find it. A text is taken as it is; a function
    becomes MODULE:FUNCTION. Raises Error (64) for one that a fresh interpreter could not import."""
    if isinstance(kernel, str):
        return kernel, None
    name = getattr(kernel, "__qualname__", None)
    module = sys.modules.get(getattr(kernel, "__module__", None) or "")
    if not name or module is None:
        raise Error(f"{kernel!r} is no function that can be imported by its name: give a function of a module, or a name", 64)
    if "<" in name or getattr(module, name.split(".")[0], None) is None:
        raise Error(f"'{name}' cannot be imported: assay starts it in a fresh process, so it must be at the top of its file", 64)
    file = getattr(module, "__file__", None)
    if file is None and module.__name__ != "__main__":
        raise Error(f"'{name}' of {module.__name__} is in no file that assay could import: give a function of a file, or a name", 64)
    if file is None:
        raise Error(f"'{name}' was written in a notebook or at a prompt, where no fresh process finds it: write the cell to a file "
                    f"(%%writefile mine.py) and import it, or name it 'mine:{name}'", 64)
    path = pathlib.Path(file).resolve()
    dotted = module.__name__
    if dotted == "__main__":  # of `python -m` it has another name
        dotted = module.__spec__.name if module.__spec__ else path.stem
    root = path.parents[dotted.count(".") + (path.name == "__init__.py")]
    return f"{dotted}:{name}", str(root)


def arguments_of(options: Mapping[str, Option]) -> List[str]:
    """``rounds=3, no_check=True, only=["a", "b"]`` as ``--rounds 3 --no-check --only a,b``."""
    arguments = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        arguments.append("--" + name.replace("_", "-"))
        if isinstance(value, Sequence) and not isinstance(value, str):
            arguments.append(",".join(value))
        elif value is not True:
            arguments.append(str(value))
    return arguments


def _environment(folders: Sequence[str]) -> Dict[str, str]:
    environment = dict(os.environ)
    environment[WITHIN] = "1"
    environment["NO_COLOR"] = "1"
    # What this interpreter can import a kernel can: it runs them, unless the manifest names another.
    beside = os.path.join(sys.prefix, "bin", "python3")
    if os.path.exists(beside) and os.path.samefile(beside, sys.executable):
        environment["VIRTUAL_ENV"] = sys.prefix
    if folders:
        others = [one for one in environment.get("PYTHONPATH", "").split(os.pathsep) if one]
        environment["PYTHONPATH"] = os.pathsep.join([*folders, *others])
    return environment


def run(arguments: Sequence[str], cwd: Optional[StrPath] = None, folders: Sequence[str] = ()) -> Ended:
    """Runs the program to its end; its kernels in Python look into ``folders`` too. An interruption ends it too, as Ctrl-C does, so that its run can be resumed."""
    if WITHIN in os.environ:
        raise Error("a kernel's file calls assay while assay imports it: put the call below `if __name__ == \"__main__\":`, "
                    "or into another file", 64)
    command = [program(), *arguments]
    try:
        process = subprocess.Popen(command, cwd=cwd, env=_environment(folders), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    except OSError as error:
        raise Error(f"{error.filename or command[0]}: {error.strerror}", 69, command) from None
    with process:
        try:
            stdout, stderr = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGTERM)
            process.wait()
            raise
    return Ended(process.returncode, stdout, stderr, command)


def failed(ended: Ended) -> Error:
    """What the program said, without what came before its error."""
    before, mark, sentence = ended.stderr.rpartition("assay: error: ")
    text = sentence if mark else before + ended.stdout
    code = ended.exit_code if ended.exit_code >= 0 else 128 - ended.exit_code
    return Error(text.strip() or f"assay ended with code {code} and said nothing", code, ended.command)

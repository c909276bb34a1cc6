# SPDX-License-Identifier: Apache-2.0
"""Builds a data set's solution in C++ or CUDA that PyTorch binds (control/flow/solution_build.c), as torch.utils.cpp_extension does.

assay_extension.py about cpp|cuda          what decides how it is built, on a line, and what the build reads, a path a line
assay_extension.py build cpp|cuda SOURCES FOLDER NAME FUNCTION ARCHITECTURES CUDA_HOME
                                           FOLDER/NAME.so; in a sandbox, since the sources are a stranger's
"""
import contextlib
import importlib.metadata
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys

import assay_path

SOURCES = (".cpp", ".cc", ".cxx", ".c", ".cu")
ARCHITECTURES = "8.0;9.0"  # where there is no card to ask
LINES_MAX = 24  # of a compiler


class Missing(Exception):
    """The text is a sentence: what is not there, and what to do."""


def torch_folder():
    spec = importlib.util.find_spec("torch")
    if not spec or not spec.origin:
        raise Missing("this solution is bound by PyTorch, which %s lacks; name another interpreter with 'python_interpreter'" % sys.executable)
    return os.path.dirname(spec.origin)


def cuda_home():
    nvcc = shutil.which("nvcc")
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or (os.path.dirname(os.path.dirname(nvcc)) if nvcc else "/usr/local/cuda")
    if not os.path.exists(os.path.join(home, "bin", "nvcc")):
        raise Missing("a solution in CUDA needs nvcc, which is neither on PATH nor in %s/bin; install the CUDA toolkit" % home)
    return home


def architectures():
    given = os.environ.get("TORCH_CUDA_ARCH_LIST")
    if given:
        return given
    try:
        asked = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ARCHITECTURES
    found = sorted(set(re.findall(r"^\d+\.\d+$", asked.stdout, re.MULTILINE)))
    return ";".join(found) or ARCHITECTURES


def about(language):
    sys.path += assay_path.places()  # last: no module of Python is taken from there, and PyTorch is only looked for
    torch, home, targets = torch_folder(), "", ""
    for tool in ("ninja", os.environ.get("CXX", "c++")):
        if not shutil.which(tool):
            raise Missing("a solution in C++ needs %s, which is not on PATH; install it" % tool)
    if language == "cuda":
        home, targets = cuda_home(), architectures()
        if not os.path.exists(os.path.join(torch, "lib", "libtorch_cuda.so")):
            raise Missing("a solution in CUDA needs a PyTorch that is built with CUDA, and %s is not; name another interpreter with "
                          "'python_interpreter'" % torch)
    try:
        version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        version = str(os.stat(os.path.join(torch, "__init__.py")).st_mtime_ns)
    print("PyTorch %s in %s, Python %s" % (version, torch, sys.version.split()[0]))
    print(targets)
    print(home)
    os.environ.pop("HOME", None)  # is none of the user's here
    user = os.path.realpath(os.path.expanduser("~"))
    tools = [os.path.dirname(os.path.realpath(shutil.which(tool) or "/")) for tool in ("ninja", os.environ.get("CXX", "c++"))]
    wanted = [sys.prefix, sys.base_prefix, sys.exec_prefix, torch, home, *tools, *sys.path]
    for path in dict.fromkeys(os.path.realpath(p) for p in wanted if p and os.path.isdir(p)):
        if path != "/" and not (user + "/").startswith(path + "/"):  # nothing that holds all that a user has
            print(path)


def words_of(error):
    """The compiler's, from its first complaint on."""
    lines = str(error).splitlines()
    first = next((i for i, line in enumerate(lines) if re.search(r"\berror\b", line[len("Error building"):])), 0)
    return "\n".join(lines[first:first + LINES_MAX])


def build(language, sources, folder, name, function, targets, home):
    os.environ.update({"TORCH_CUDA_ARCH_LIST": targets, "CUDA_HOME": home} if home else {})
    with contextlib.redirect_stderr(io.StringIO()):  # that there is no card here, which nobody asked
        from torch.utils import cpp_extension
    paths = sorted(os.path.join(at, file) for at, _, files in os.walk(sources) for file in files if file.endswith(SOURCES))
    fast = {"extra_cuda_cflags": ["-O3"]} if language == "cuda" else {}
    try:
        module = cpp_extension.load(name=name, sources=paths, extra_include_paths=[sources], extra_cflags=["-O3"],
                                    build_directory=folder, with_cuda=language == "cuda", **fast)
    except Exception as error:  # of ninja, the compiler or the loader: the class says nothing
        raise Missing(words_of(error)) from error
    if not callable(getattr(module, function, None)):
        raise Missing("it binds no function '%s'; write m.def(\"%s\", ...) in PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)" % (function, function))


if __name__ == "__main__":
    try:
        {"about": about, "build": build}[sys.argv[1]](*sys.argv[2:])
    except Missing as missing:
        sys.exit(str(missing))

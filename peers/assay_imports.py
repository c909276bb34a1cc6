# SPDX-License-Identifier: Apache-2.0
"""What a function in Python depends on besides its own file, as one hash: the modules of the user's that the file imports, and theirs,
the interpreter, and the packages that are installed. Started by assay itself: python3 assay_imports.py FILE. No line of them is run.

So the user's folders are on sys.path only while a name is looked for (`found_in`). Python itself imports modules when it parses: the
codec that a file declares, what prints a warning. Those must not be files of the user's.
"""
import ast
import contextlib
import functools
import hashlib
import importlib.util
import os
import sys
import warnings

import assay_path
import assay_revision

STANDARD = os.path.dirname(os.__file__)


class TooMuch(Exception):
    """More text than its reader is ready to parse."""


searched = []  # where imports are looked for; empty: where the interpreter looks


@contextlib.contextmanager
def found_in(places):
    """Within it the files of an import are those of these places. Nothing is parsed or imported there."""
    before = list(searched)
    searched[:] = places
    try:
        yield
    finally:
        searched[:] = before


def find(name):
    """importlib.util.find_spec of a name without dots, which looks and imports nothing."""
    before = list(sys.path)
    sys.path[:] = searched or before
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    finally:
        sys.path[:] = before


def text_of(path):
    """Without the codec that it declares, a module that would be imported: names are ASCII in all of them but by intent."""
    with open(path, "rb") as file:
        source = file.read()
    with contextlib.suppress(UnicodeDecodeError):
        return source.decode("utf-8").lstrip("\ufeff")
    return source.decode("latin-1")


@functools.lru_cache(maxsize=None)
def names_of(path):
    """Dotted names of what a file may import, wherever in it; those of relative imports begin with a dot a level."""
    return tuple(names_in(path))


def names_in(path):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what its strings escape
            nodes = list(ast.walk(ast.parse(text_of(path))))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # the import itself says what is wrong
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            yield from (start + ("." if node.module else "") + alias.name for alias in node.names)  # a module or what is in it


def is_installed(path):
    return "site-packages" in path or "dist-packages" in path or assay_revision.is_below(path, STANDARD)


def files_below(places, parts):
    """The files that an import of the names `parts` in these folders runs: packages, a module, one that was built."""
    for place in places:
        for entry in sorted(os.listdir(place)) if parts and os.path.isdir(place) else ():
            file = os.path.join(place, entry)
            if entry.startswith(parts[0] + ".") and entry.endswith((".py", ".so")) and os.path.isfile(file):
                yield file
        inner = os.path.join(place, parts[0]) if parts else ""
        if os.path.isfile(os.path.join(inner, "__init__.py")):
            yield os.path.join(inner, "__init__.py")
        yield from files_below([inner], parts[1:]) if parts and os.path.isdir(inner) else ()


def files_of(name, importer):
    """Of an import in the file `importer`."""
    level = len(name) - len(name.lstrip("."))
    parts = [part for part in name.split(".") if part]
    if level:
        place = importer
        for _ in range(level):
            place = os.path.dirname(place)
        return list(files_below([place], parts))
    spec = find(parts[0])
    places = list(spec.submodule_search_locations or ()) if spec else []
    own = [spec.origin] if spec and spec.has_location else []
    return own + ([] if any(map(is_installed, own + places)) else list(files_below(places, parts[1:])))


def is_text(path):
    return path.endswith(".py") and not is_installed(path)


def closure(path, most_bytes=None):
    """Of a package that is installed its first file, which stands for it."""
    found, todo, read_bytes = {}, [path], 0
    while todo:
        path = os.path.realpath(todo.pop())
        if path in found or assay_revision.is_below(path, STANDARD) and not is_installed(path[len(STANDARD):]):
            continue
        found[path] = None
        if is_text(path):
            read_bytes += os.path.getsize(path)
            if most_bytes is not None and read_bytes > most_bytes:
                raise TooMuch(path)
            todo += [file for name in names_of(path) for file in files_of(name, path)]
    return sorted(found)


def packages(path, most_bytes):
    """The top-level names that a file and the user's modules that it imports may import."""
    return {name.partition(".")[0] for file in closure(path, most_bytes) if is_text(file) for name in names_of(file)}


def module_file(name, folder):
    """The source that "package.module" of a folder names; None: it is not there, or it is no text."""
    place = os.path.join(folder, *name.split("."))
    return next((path for path in (place + ".py", os.path.join(place, "__init__.py")) if os.path.isfile(path)), None)


def installed():
    """Names and versions, as installers write them."""
    for place in sys.path:
        if os.path.isdir(place):
            yield from (entry for entry in os.listdir(place) if entry.endswith((".dist-info", ".egg-info")))


def main(path):
    own = list(sys.path)
    assay_path.restore()
    sys.path[0] = os.path.dirname(path)
    for revision in assay_revision.told():
        revision.enter()
    said = hashlib.sha256("\n".join([sys.version] + sorted(set(installed()))).encode())
    places, sys.path[:] = list(sys.path), own
    with found_in(places):
        files = closure(path)
    for file in files:
        if is_installed(file):
            about = os.stat(file)
            said.update(b"%d %d" % (about.st_mtime_ns, about.st_size))
        else:
            with open(file, "rb") as source:
                said.update(hashlib.sha256(source.read()).digest())
    print(said.hexdigest())


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))

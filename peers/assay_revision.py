# SPDX-License-Identifier: Apache-2.0
"""The code of a git revision in an interpreter that finds the working tree's: a package that was installed with `pip install -e`, a .pth
file, PYTHONPATH. assay names the root of the revision's work tree, beside which lie two files: TREE.repository has the root of the
repository, TREE.changes the raw diff from the revision to the working tree.

By where a module lies, whoever finds it: what the revision has is taken from its tree; what git tracks in the working tree alone is not
there; what git does not track (extension modules that were built, a version that was written) is the working tree's for both.
"""
import functools
import importlib.util
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from importlib.util import spec_from_file_location

VARIABLE = "ASSAY_REVISION_TREES"  # record/work_order.h
HERE = os.path.dirname(os.path.abspath(__file__))


def is_below(path, folder):
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def editable_places():
    """Where the packages lie that setuptools' finders of editable installations import: on no sys.path."""
    return [place for name, finder in list(sys.modules.items()) if name.startswith("__editable__")
            for place in getattr(finder, "MAPPING", {}).values()]


class NotThere(ImportError):
    """Of a module that the revision does not have."""


def quiet(find_spec):
    """importlib.util.find_spec, which asks whether a module is there, and says None where one is not."""
    @functools.wraps(find_spec)
    def found(name, package=None):
        try:
            return find_spec(name, package)
        except NotThere:
            return None
    return found


class Revision:
    """On sys.meta_path before all others, while its modules are imported."""

    def __init__(self, tree):
        with open(tree + ".repository", encoding="utf-8", errors="surrogateescape") as file:
            self.repository = os.path.realpath(file.read())
        with open(tree + ".changes", encoding="utf-8", errors="surrogateescape") as file:
            changes = file.read().split("\0")
        self.tree = os.path.realpath(tree)
        self.changed = set(changes[1::2])  # of files and submodules; before each path ":MODE MODE HASH HASH STATUS"
        prefixes = [os.path.realpath(path) for path in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, HERE)]
        self.apart = [path for path in prefixes if is_below(path, self.repository) and path != self.repository]
        # Paths below the repository that are on sys.path, or that others than PathFinder know. A relative PYTHONPATH names the tree.
        self.installed = {os.path.relpath(os.path.realpath(p), self.tree) for p in sys.path if is_below(os.path.realpath(p), self.tree)}
        self.before = self.after = []  # sys.path
        self.checked = 0

    def working_path(self, place):
        """Below the repository; None: `place` is not of the working tree."""
        place = os.path.realpath(place)
        if is_below(place, self.tree) or not is_below(place, self.repository) or any(is_below(place, p) for p in self.apart):
            return None
        return os.path.relpath(place, self.repository)

    def has(self, path):
        return os.path.exists(os.path.join(self.tree, path))

    def is_changed(self, path):
        """What the revision does not have is then new, or of a submodule that is at another commit."""
        while path and path not in self.changed:
            path = os.path.dirname(path)
        return bool(path)

    def both(self, places):
        """Before every folder of the working tree the revision's, behind every one of the revision's that is installed the working tree's,
        which has what git does not track.
        """
        found = []
        for place in places:
            real = os.path.realpath(place)
            path = self.working_path(place)
            other = None
            if not os.path.isabs(place):
                pass  # the name of a hook; of a folder, what is found there is looked at
            elif path is not None:
                self.installed.add(path)
                other = os.path.join(self.tree, path)
            elif is_below(real, self.tree):
                path = os.path.relpath(real, self.tree)
                if any(top == os.curdir or is_below(path, top) for top in self.installed):
                    other = os.path.join(self.repository, path)
            pair = [place, other] if is_below(real, self.tree) else [other, place]
            found += [folder for folder in pair if folder and (folder == place or os.path.isdir(folder))]
        return list(dict.fromkeys(found))

    def enter(self):
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        if sys.path != self.before:
            self.before = list(sys.path)
            self.after = self.both(self.before)
        sys.path[:] = self.after

    def leave(self):
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        added = set(self.after) - set(self.before)
        sys.path[:] = [place for place in sys.path if place not in added]

    def find_spec(self, name, path=None, target=None):
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if finder is not self and find else None
            if spec is not None:
                return self.of_revision(name, spec, sys.path if path is None else path)
        return None

    def of_revision(self, name, spec, searched):
        place = self.working_path(spec.origin) if spec.has_location else None
        if place is not None:
            inner = spec.submodule_search_locations
            self.both(inner or [])  # they are installed
            if self.has(place):
                spec = spec_from_file_location(name, os.path.join(self.tree, place), submodule_search_locations=inner)
            elif self.is_changed(place):  # what it hides
                folder = os.path.dirname(os.path.dirname(place) if inner else place)
                spec = PathFinder.find_spec(name, [os.path.join(self.tree, folder)] +
                                            [p for p in searched if self.working_path(p) is None])
            if spec is None:
                raise NotThere("'%s' is %s of the working tree, which the revision does not have" % (name, place), name=name)
        if spec.has_location and spec.origin.endswith(".py") and is_below(os.path.realpath(spec.origin), self.tree):
            self.refuse_built(name, os.path.relpath(os.path.realpath(spec.origin), self.tree))
        if spec.submodule_search_locations is not None:
            inner = list(spec.submodule_search_locations)
            if self.both(inner) != inner:
                spec.submodule_search_locations = self.both(inner)
        return spec

    def refuse_built(self, name, path):
        """The working tree's side would run what was compiled of a source, the revision's the source."""
        for built in (path[:-len(".py")] + suffix for suffix in EXTENSION_SUFFIXES):
            if os.path.exists(os.path.join(self.repository, built)) and not self.is_changed(built):
                raise ImportError("'%s' is %s in the revision, and in the working tree it was built to %s; remove that to compare them"
                                  % (name, path, built), name=name)

    def shared(self):
        """The extension modules that are the working tree's in the revision, too."""
        places = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
        return sorted(name for name, place in places.items() if isinstance(place, str) and place.endswith(tuple(EXTENSION_SUFFIXES)) and
                      self.working_path(place) is not None)

    def check(self):
        """Refuses what came past the finder: imported while the interpreter started, or loaded by its path."""
        if len(sys.modules) == self.checked:
            return
        for name, module in list(sys.modules.items()):
            place = getattr(module, "__file__", None)
            path = self.working_path(place) if isinstance(place, str) else None
            if path is not None and (self.has(path) or self.is_changed(path)):
                raise ImportError("'%s' was loaded from %s of the working tree, past the import of the revision's; import it by its "
                                  "name, and in no .pth file or sitecustomize" % (name, path), name=name)
        self.checked = len(sys.modules)


def told():
    """Those that assay names to this process."""
    revisions = [Revision(tree) for tree in os.environ.pop(VARIABLE, "").split("\n") if tree]
    if revisions:
        importlib.util.find_spec = quiet(importlib.util.find_spec)
    return revisions

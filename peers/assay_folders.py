# SPDX-License-Identifier: Apache-2.0
"""Modules of several folders in one process, and the folders that an interpreter reads."""
import functools
import importlib
import os
import pwd
import sys

from assay_revision import editable_places, is_below


class Folders:
    """Kernels of two folders in one process (two revisions of one module): each imports the modules of its own folder, and where the
    package is installed, of its own tree.
    """

    def __init__(self, revisions):
        self.revisions = revisions
        self.active = None
        self.modules = {}  # by folder: the modules imported from it
        self.seen = (None, 0)

    @functools.lru_cache(maxsize=None)  # asked at every launch
    def revision_of(self, place):
        """None: the working tree, or none of ours."""
        return next((revision for revision in self.revisions if is_below(os.path.realpath(place), revision.tree)), None)

    def is_own(self, module, folder):
        place = getattr(module, "__file__", None)
        if not place:
            paths = list(getattr(module, "__path__", None) or [])  # a package without __init__.py
            place = paths[0] if paths else ""
        if not place:
            return False
        place = os.path.abspath(place)
        ours, theirs = self.revision_of(folder), self.revision_of(place)
        if not theirs and any(r.working_path(place) is not None for r in self.revisions):
            is_own = True  # imported while this folder is the active one
        elif ours or theirs:
            is_own = theirs is ours
        else:
            is_own = is_below(place, folder)
        if not is_own:
            return False
        if "site-packages" in place or "dist-packages" in place:
            return False  # a virtual environment inside the project
        return not (is_below(sys.prefix, folder) and is_below(place, sys.prefix))

    def _leave(self):
        if self.active is None:
            return
        if self.seen != (self.active, len(sys.modules)):
            self.modules[self.active] = {name: module for name, module in list(sys.modules.items())
                                         if name != "__main__" and self.is_own(module, self.active)}
        for name in self.modules[self.active]:
            sys.modules.pop(name, None)
        revision = self.revision_of(self.active)
        if revision:
            revision.leave()
        if self.active in sys.path:
            sys.path.remove(self.active)
        self.active = None

    def enter(self, folder):
        """Makes the modules of `folder` the active ones. None: the kernel needs no folder; the active one stays."""
        if folder is None or folder == self.active:
            return
        self._leave()
        sys.path.insert(0, folder)
        revision = self.revision_of(folder)
        if revision:
            revision.enter()
        sys.modules.update(self.modules.get(folder, {}))
        importlib.invalidate_caches()
        self.active = folder
        self.seen = (folder, len(sys.modules)) if folder in self.modules else (None, 0)

    def leave(self):
        self._leave()

    def check(self, folder):
        revision = self.revision_of(folder) if folder else None
        if revision:
            revision.check()

    def shared(self, folder):
        revision = self.revision_of(folder) if folder else None
        return ["%s of the working tree" % name for name in revision.shared()] if revision else []


def read_folders(revisions):
    """What the interpreter reads to import modules: a host may read that and the kernel's folder, not the rest of the home
    folder. A prefix that holds the home folder itself is left out; its parts are on sys.path.
    """
    try:
        home = os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        home = "/"
    wanted = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, os.path.dirname(os.path.abspath(__file__))]
    wanted += sys.path + editable_places() + [revision.tree for revision in revisions]
    folders_read = []
    for path in wanted:
        path = os.path.realpath(path) if path else "/"
        if path not in folders_read and not (home + "/").startswith(path.rstrip("/") + "/"):
            folders_read.append(path)
    return folders_read

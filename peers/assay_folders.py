# SPDX-License-Identifier: Apache-2.0
"""Modules of several folders in one process, and the folders that an interpreter reads."""
import importlib
import os
import pwd
import sys


class Folders:
    """Kernels of two folders in one process (two revisions of one module): each imports the modules of its own folder."""

    def __init__(self):
        self.active = None
        self.modules = {}  # by folder: the modules imported from it
        self.seen = (None, 0)

    def is_own(self, module, folder):
        place = getattr(module, "__file__", None)
        if not place:
            paths = list(getattr(module, "__path__", None) or [])  # a package without __init__.py
            place = paths[0] if paths else ""
        place = os.path.abspath(place) if place else ""
        if not place.startswith(folder + os.sep) and place != folder:
            return False
        if "site-packages" in place or "dist-packages" in place:
            return False  # a virtual environment inside the project
        return not (sys.prefix.startswith(folder + os.sep) and place.startswith(sys.prefix + os.sep))

    def _leave(self):
        if self.active is None:
            return
        if self.seen != (self.active, len(sys.modules)):
            self.modules[self.active] = {name: module for name, module in list(sys.modules.items())
                                         if name != "__main__" and self.is_own(module, self.active)}
        for name in self.modules[self.active]:
            sys.modules.pop(name, None)
        if self.active in sys.path:
            sys.path.remove(self.active)
        self.active = None

    def enter(self, folder):
        """Makes the modules of `folder` the active ones. None: the kernel needs no folder; the active one stays."""
        if folder is None or folder == self.active:
            return
        self._leave()
        sys.path.insert(0, folder)
        sys.modules.update(self.modules.get(folder, {}))
        importlib.invalidate_caches()
        self.active = folder
        self.seen = (folder, len(sys.modules)) if folder in self.modules else (None, 0)

    def leave(self):
        self._leave()


def read_folders():
    """What the interpreter reads to import modules: a host may read that and the kernel's folder, not the rest of the home
    folder. A prefix that holds the home folder itself is left out; its parts are on sys.path.
    """
    try:
        home = os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        home = "/"
    wanted = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, os.path.dirname(os.path.abspath(__file__))] + sys.path
    folders_read = []
    for path in wanted:
        path = os.path.realpath(path) if path else "/"
        if path not in folders_read and not (home + "/").startswith(path.rstrip("/") + "/"):
            folders_read.append(path)
    return folders_read

# SPDX-License-Identifier: Apache-2.0
"""peers/assay_revision.py alone: what of a working tree that is on sys.path is a revision's."""
import importlib
import os
import sys
import tempfile
import types

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import assay_folders
import assay_revision

work = os.path.realpath(tempfile.mkdtemp(dir="."))
repo, tree = work + "/repo", work + "/trees/assay-1"


def write(path, text=""):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def both(path):
    write("%s/%s" % (repo, path), "WHOSE = 'working tree'")
    write("%s/%s" % (tree, path), "WHOSE = 'revision'")


both("src/pkg/__init__.py")
both("src/pkg/part.py")
both("space/ns/inner.py")  # a namespace package
both("sub/module/coded.py")
write(repo + "/src/pkg/built.py", "WHOSE = 'nobody tracks it'")
write(repo + "/src/pkg/new.py")
write(tree + "/src/pkg/gone.py", "WHOSE = 'revision'")
write(tree + "/src/once.py", "WHOSE = 'revision, a file'")
write(repo + "/src/once/__init__.py")
write(repo + "/sub/other/bumped.py")
both("src/pkg/compiled.py")
write(repo + "/src/pkg/compiled.abi3.so")
write(repo + "/build/made.py", "WHOSE = 'nobody tracks it'")
write(tree + ".repository", repo)
write(tree + ".changes", "".join(":%s 0 0 %s\0%s\0" % item for item in [
    ("000000 100644", "A", "src/pkg/new.py"), ("000000 100644", "A", "src/once/__init__.py"), ("160000 160000", "M", "sub/other"),
    ("100644 100644", "M", "src/pkg/part.py")]))
os.symlink(repo, work + "/link")
before = list(sys.path)
sys.path += [work + "/link/src", repo + "/space", repo + "/sub/module", repo + "/sub/other", repo + "/build", "hook.__path_hook__"]
os.environ[assay_revision.VARIABLE] = tree
folders = assay_folders.Folders(assay_revision.told())
print("told once:", assay_revision.VARIABLE not in os.environ)


def show(*names):
    for name in names:
        try:
            print("%s: %s" % (name, importlib.import_module(name).WHOSE))
        except ImportError as error:
            print("%s: %s" % (name, str(error)))


names = ["pkg", "pkg.part", "pkg.built", "pkg.new", "pkg.gone", "ns.inner", "coded", "once", "bumped", "made", "pkg.compiled"]
folders.enter(tree)
folders.check(tree)
show(*names)
print("looked for:", importlib.util.find_spec("pkg.new"), importlib.util.find_spec("pkg.gone").origin.replace(work, ""))
print([place.replace(work, "") for place in sys.path if place not in before])
native = sys.modules["pkg.native"] = types.ModuleType("pkg.native")
native.__file__ = repo + "/src/pkg/native.abi3.so"
folders.check(tree)
print(folders.shared(tree), folders.shared(repo))
folders.enter(repo)
show(*names[:2])
folders.enter(tree)
show(*names[:2])
folders.leave()
print("left:", [place.replace(work, "") for place in sys.path if place not in before], folders.revisions[0] in sys.meta_path)

sys.path[:0] = [repo + "/src"]
import pkg
folders.modules.clear()
folders.revisions[0].enter()
try:
    folders.check(tree)
except ImportError as error:
    print(error)

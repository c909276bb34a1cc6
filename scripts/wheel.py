#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs a wheel of what a build installs and of python/assay: `wheel.py PREFIX FOLDER`, after `cmake --install BUILD --prefix PREFIX --strip`.

What lies below PREFIX goes below the environment's own prefix, as `make install` would put it: bin/assay finds lib, include and share beside
itself there. With one SOURCE_DATE_EPOCH two wheels agree byte for byte. Python's standard library and readelf are all it takes."""
import os
import pathlib
import subprocess
import sys
import time
import zipfile

from check_wheel import digest, tag_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
METADATA = """Metadata-Version: 2.1
Name: assay
Version: {version}
Summary: Checks, measures and compares compute kernels in CI
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown
Classifier: Framework :: Pytest
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed

{readme}"""
WHEEL = "Wheel-Version: 1.0\nGenerator: scripts/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n"
ENTRY_POINTS = "[pytest11]\nassay = assay.pytest_plugin\n"


def installed(prefix, data):
    """What lies below the prefix, under its names in the wheel. A wheel has no links: of a library its soname alone is packed."""
    for path in sorted(prefix.rglob("*")):
        name = path.relative_to(prefix).as_posix()
        is_named_by_link = any(other.is_symlink() and other.resolve() == path.resolve() for other in path.parent.iterdir())
        if path.is_dir() or (is_named_by_link and not path.is_symlink()):
            continue
        yield f"{data}/scripts/assay" if name == "bin/assay" else f"{data}/data/{name}", path


def add(archive, name, content, mode):
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), 315619200))  # zip begins in 1980
    entry = zipfile.ZipInfo(name, moment[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100000 | mode) << 16
    archive.writestr(entry, content, compresslevel=9)
    return f"{name},{digest(content)},{len(content)}\n"


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    prefix, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version = subprocess.run([prefix / "bin/assay", "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    stem, info = f"assay-{version}", f"assay-{version}.dist-info"
    module = sorted(path for path in (ROOT / "python/assay").iterdir() if path.name == "py.typed" or path.suffix == ".py")
    files = [(f"assay/{path.name}", path) for path in module] + list(installed(prefix, f"{stem}.data"))
    tag = f"py3-none-{tag_of(path for _, path in files)}"
    texts = {"METADATA": METADATA.format(version=version, readme=(ROOT / "docs/python-module.md").read_text()),
             "WHEEL": WHEEL.format(tag=tag), "entry_points.txt": ENTRY_POINTS, "licenses/LICENSE": (ROOT / "LICENSE").read_text()}
    wheel = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        record = "".join(add(archive, name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644) for name, path in files)
        record += "".join(add(archive, f"{info}/{name}", text.encode(), 0o644) for name, text in texts.items())
        add(archive, f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644)
    print(wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())

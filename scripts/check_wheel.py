#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a wheel keeps what its name says: `check_wheel.py FILE.whl`.

The tag manylinux_2_N is the newest version of glibc that a program or library in it asks for, neither lower nor higher; what they link to is
glibc or lies in the wheel; RECORD has every file with its hash. Prints one line, or what is wrong (1). Needs readelf (binutils)."""
import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

OF_GLIBC = re.compile(r"(ld-linux-.*|lib(c|m|dl|rt|pthread))\.so\.\d+$")


def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needs_of(path):
    """The versions of glibc, the libraries and the search paths that an ELF file asks for."""
    said = subprocess.run(["readelf", "-W", "--dynamic", "--version-info", path], check=True, capture_output=True, text=True).stdout
    versions = {tuple(map(int, one.split("."))) for one in re.findall(r"Name: GLIBC_([\d.]+)", said)}
    return versions, set(re.findall(r"\(NEEDED\).*\[(.*)\]", said)), re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", said)


def tag_of(files):
    """The platform tag that fits all ELF files of `files`."""
    newest = max(version for path in files if is_elf(path) for version in needs_of(path)[0])
    return f"manylinux_{newest[0]}_{newest[1]}_{platform.machine()}"


def complaints(wheel):
    name, version, *tags = wheel.stem.split("-")
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        archive.extractall(folder)
        root = pathlib.Path(folder)
        files = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
        info = f"{name}-{version}.dist-info"
        record = dict(line.split(",", 1) for line in files[f"{info}/RECORD"].read_text().splitlines())
        for path in sorted(files.keys() ^ record.keys()):
            yield f"{path} is {'not ' if path in files else ''}in RECORD{'' if path in files else ' alone'}"
        for path in sorted(files.keys() & record.keys() - {f"{info}/RECORD"}):
            content = files[path].read_bytes()
            if record[path] != f"{digest(content)},{len(content)}":
                yield f"{path} is not what RECORD says"
        if f"Tag: {'-'.join(tags)}\n" not in files[f"{info}/WHEEL"].read_text():
            yield f"the file WHEEL does not say {'-'.join(tags)}"
        wanted = tag_of(files.values())
        if tags != ["py3", "none", wanted]:
            yield f"its tag is {'-'.join(tags)}, but what it holds needs py3-none-{wanted}"
        own = {pathlib.PurePosixPath(path).name for path in files}
        for path in sorted(path for path, file in files.items() if is_elf(file)):
            _, libraries, search = needs_of(files[path])
            for library in sorted(one for one in libraries - own if not OF_GLIBC.match(one)):
                yield f"{path} needs {library}, which is neither of glibc nor in the wheel"
            for one in search:
                if not one.startswith("$ORIGIN"):
                    yield f"{path} looks into {one}"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 64
    wheel = pathlib.Path(sys.argv[1])
    wrong = list(complaints(wheel))
    print("\n".join(wrong) or f"{wheel.name}: its tag is right")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes python/assay/document.py from docs/result.schema.json: a dataclass for each object, its members with what the schema says of
them. `document_classes.py --check` says whether the file is what the schema gives, and changes nothing."""
import difflib
import json
import keyword
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "python" / "assay" / "document.py"
HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Written by scripts/document_classes.py from docs/result.schema.json (`make docs`): change that, not this.
"""The result document as dataclasses, member by member (docs/result-format.md).

Units are in the names: ``_ns``, ``_hz``, ``_pct``, ``_bytes``, ``_j``, ``_w``, ``_c``, ``_s``. What is not known is ``None``, a list that
is absent is empty. ``from`` is ``from_``, since Python has that word.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Optional, Tuple, Union

'''


def class_name(name):
    return "".join(word.capitalize() for word in name.split("_"))


def plain(schema, definitions):
    """The type of a value that is there."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return class_name(name) if "properties" in definitions[name] else "int"  # u64 may be a text of digits
    if "anyOf" in schema:
        if {"type": "null"} in schema["anyOf"]:
            (other,) = [one for one in schema["anyOf"] if one != {"type": "null"}]
            return f"Optional[{plain(other, definitions)}]"
        return f"Union[{', '.join(plain(one, definitions) for one in schema['anyOf'])}]"
    if "enum" in schema or isinstance(schema.get("const"), str):
        return "str"
    if schema.get("type") == "array":
        return f"Tuple[{plain(schema['items'], definitions)}, ...]"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties") or list(schema["patternProperties"].values())[0]
        return f"Dict[str, {plain(values, definitions)}]"
    if "const" in schema:
        return "int"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[schema["type"]]


def member(name, schema, required, definitions):
    kind = plain(schema, definitions)
    if name in required:
        default = ""
    elif kind.startswith("Tuple["):
        default = " = ()"
    elif kind.startswith("Dict["):
        default = " = field(default_factory=dict)"
    else:
        kind, default = f"Optional[{kind}]", " = None"
    name += "_" if keyword.iskeyword(name) else ""
    text = re.sub(r"\s+", " ", schema.get("description", "")).replace("\\", "\\\\")
    lines = textwrap.wrap(f'"""{text}"""', 104, break_long_words=False, break_on_hyphens=False)
    return [f"{name}: {kind}{default}"] + lines


def dataclass_of(name, schema, definitions):
    required = schema["required"]
    names = sorted(schema["properties"], key=lambda one: one not in required)  # those without a default come first
    text = schema["description"]
    lines = ["", "@dataclass(frozen=True)", f"class {class_name(name)}:"]
    lines += [f"    {line}" for line in textwrap.wrap(f'"""{text}"""', 104)]
    for one in names:
        lines += [""] + [f"    {line}" for line in member(one, schema["properties"][one], required, definitions)]
    return lines + [""]


def module():
    schema = json.loads((ROOT / "docs" / "result.schema.json").read_text())
    definitions = schema["$defs"]
    lines = []
    for name, one in definitions.items():
        if "properties" in one:
            lines += dataclass_of(name, one, definitions)
    schema["description"] = "What a run wrote: its kernels, problems, samples and decision."
    lines += dataclass_of("result", schema, definitions)
    return HEAD + "\n".join(lines)


def main():
    wanted = module()
    if sys.argv[1:] != ["--check"]:
        TARGET.write_text(wanted)
        return 0
    there = TARGET.read_text()
    sys.stdout.writelines(difflib.unified_diff(there.splitlines(True), wanted.splitlines(True), "document.py", "by the schema"))
    return int(there != wanted)


if __name__ == "__main__":
    sys.exit(main())

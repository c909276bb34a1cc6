# SPDX-License-Identifier: Apache-2.0
"""Manifests against docs/manifest.schema.json: the shipped one, the starter, those of tests/slow and of the fuzzer's corpus, and every
assay.yaml that a test in tests/cli writes from a text without variables. What assay reads must match."""
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

SOURCE = pathlib.Path(sys.argv[1])


class Yaml12(yaml.SafeLoader):
    """As an editor reads the file: `off` is a text and 2e-3 a number, other than in YAML 1.1."""


Yaml12.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^[-+]?[0-9]+$", list("-+0123456789")),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", list("-+.0123456789")),
):
    Yaml12.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)


def heredocs():
    """Texts that scripts write to assay.yaml as they stand."""
    pattern = re.compile(r"cat >+ ?assay\.yaml <<(['\"]?)(\w+)\1\n(.*?)^\2$", re.M | re.S)
    for path in sorted((SOURCE / "tests" / "cli").rglob("*.sh")):
        for number, match in enumerate(pattern.finditer(path.read_text())):
            if match[1] or "$" not in match[3]:
                yield f"{path.relative_to(SOURCE)}#{number}", match[3]


def files():
    for path in [SOURCE / "assay.yaml", SOURCE / "tests/slow/assay.yaml", *sorted((SOURCE / "tests/fuzz/corpus/manifest").glob("*.yaml"))]:
        yield str(path.relative_to(SOURCE)), path.read_bytes().decode("utf-8", "replace")
    yield "init", subprocess.run(["assay", "init", "--output", "-", "--quiet"], check=True, capture_output=True, text=True).stdout


def is_read(text):
    """Whether assay has nothing to say of it; 78 is a mistake of the manifest."""
    path = pathlib.Path("tried.yaml")
    path.write_text(text)
    return subprocess.run(["assay", "list", "formats", "--manifest", path], capture_output=True).returncode == 0


VALID = "version: 1\nkernels: {a: {operator: scale, source: a.c%s}}\n%s"
WRONG = {  # name: the text; each has one mistake
    "no version": "kernels: {a: {operator: scale, source: a.c}}",
    "version": "version: 2",
    "misspelt key": VALID % ("", "gate: {regresion_pct: 3}"),
    "misspelt section": VALID % ("", "limit: {case_s: 3}"),
    "operator no name": "version: 1\nkernels: {a: {operator: {scale: 1}, source: a.c}}",
    "operator without results": "version: 1\noperators: {a: {inputs: {x: 'fp32[4]'}}}",
    "unknown backend": VALID % (", backend: gpu", ""),
    "no operator": "version: 1\nkernels: {a: {source: a.c}}",
    "two origins": VALID % (", library: a.so", ""),
    "no origin": "version: 1\nkernels: {a: {operator: scale}}",
    "list for a mapping": "version: 1\nkernels: [a]",
    "name with a blank": "version: 1\nkernels: {a b: {operator: scale, source: a.c}}",
    "quoted number": VALID % ("", 'limits: {case_s: "3"}'),
    "number out of range": VALID % ("", "limits: {busy_pct: 101}"),
    "fraction for a whole number": VALID % (", config: {A: 1.5}", ""),
    "no macro": VALID % (", config: {1A: 1}", ""),
    "yes for true": VALID % (", fast_math: yes", ""),
    "no target": VALID.replace("a.c", "a.cu") % (", arch: [90a]", ""),
    "tolerance without a reason": VALID % (", tolerance: {atol: 1e-3}", ""),
    "tolerance that changes nothing": VALID % (", tolerance: {why: so}", ""),
    "build without its output": "version: 1\nkernels: {a: {operator: scale, build: {run: make}}}",
    "script with a misspelt figure": "version: 1\nkernels: {a: {operator: scale, sim: {base_ms: 1}}}",
    "script out of range": "version: 1\nkernels: {a: {operator: scale, sim: {cv_pct: 101}}}",
    "device without its prefix": VALID % ("", 'devices: {"mine": {seed: 1}}'),
    "noise out of range": VALID % ("", 'devices: {"sim:x": {noise: {ar1: 1}}}'),
    "suite from both": VALID % ("", "suites: {s: {from: scale_quick, problems: {a: scale/fp32/n64}}}"),
    "suite from neither": VALID % ("", "suites: {s: {distributions: [normal]}}"),
    "unknown metric": VALID % ("", "gate: {metric: cycles}"),
    "unknown word": VALID % ("", "gate: {undecided: ignore}"),
    "server without addresses": VALID % ("", "notify: {smtp: smtp://mail.example.org}"),
    "file as a store": VALID % ("", "store: history.db"),
    "value twice": VALID % (", tune: {values: {A: [1, 1]}}", ""),
    "empty value": VALID % ("", "python_interpreter:"),
}

schema = json.loads((SOURCE / "docs/manifest.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
matched = 0
for name, text in [*files(), *heredocs()]:
    if not is_read(text):
        continue
    mistakes = [f"{'.'.join(map(str, one.absolute_path))}: {one.message}" for one in validator.iter_errors(yaml.load(text, Yaml12))]
    matched += not mistakes
    for mistake in mistakes[:2]:
        print(f"{name}: read, and does not match: {mistake[:200]}")
print("manifests that match:", "many" if matched >= 40 else matched)
assert is_read(VALID % ("", "")), "what the wrong ones begin with"
for name, text in WRONG.items():
    if validator.is_valid(yaml.load(text, Yaml12)):
        print(f"{name}: matches")
    if is_read(text):
        print(f"{name}: is read")
print("wrong ones refused by both:", len(WRONG))

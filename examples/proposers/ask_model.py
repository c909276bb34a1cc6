#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A proposer of `assay tune` that asks a language model: it shows the protocol, and is meant to be copied and changed. The model is a
# command that reads a prompt on standard input and prints text, such as a program that runs a local model.
#   assay tune --kernel mine --prompt prompt.md --proposer "python3 ask_model.py my-model --some-option"
# A command that calls a service needs --proposer-network, and reads its key from a file beside the manifest: variables that look like
# secrets do not reach a proposer.
import json
import re
import subprocess
import sys

# What the model is told besides the prompt document.
PARTS = """{prompt}

# The kernel
`{name}`, measured on {device} on these problems: {problems}.
{settings}
```
{source}
```
# What was tried
{tried}
# What is asked for already, and not measured yet
{pending}
# What failed
{failures}
# Profile
{profile}
"""


def lines(items, otherwise):
    return "\n".join(f"- {item}" for item in items) or otherwise


def describe(variant):
    words = [variant["variant"], variant["fate"]]
    if "speedup" in variant:
        words.append(f"{variant['speedup']:.3f}x as fast as the baseline")
    words += [f"{name}: {variant[name]}" for name in ("predicted", "reason") if name in variant]
    return ", ".join(words)


def make_prompt(question):
    profile = question.get("profile", {}).get("diagnosis", {})
    hypotheses = [f"{one['text']} ({one.get('metric', '')})" for one in profile.get("hypotheses", [])]
    settings = [f"{one['name']}: one of {one['values']}, now {one['baseline']}" for one in question["settings"]]
    return PARTS.format(
        prompt=question.get("prompt", "Make this kernel faster. Print the whole source in one fenced block."),
        name=question["kernel"],
        device=question["device"],
        problems=", ".join(question["problems"]),
        settings=lines(settings, ""),
        source=question.get("patch_base", ""),
        tried=lines(map(describe, question["tried"]), "Nothing yet."),
        pending=lines(question["pending"], "Nothing."),
        failures=lines((f"proposal {one['proposal']}: {one['answer']}: {one.get('reason', '')}" for one in question["failures"]), "Nothing."),
        profile=lines(hypotheses, profile.get("because", "None was given.")),
    )


def main():
    question = json.load(sys.stdin)
    if len(sys.argv) < 2:
        sys.exit("usage: ask_model.py COMMAND [ARGUMENT...]: the program that runs the model")
    limit = question["budget"]["seconds_to_answer"]
    model = subprocess.run(
        sys.argv[1:], input=make_prompt(question), capture_output=True, text=True, timeout=limit, check=False
    )
    if model.returncode != 0:
        sys.exit(f"the model ended with {model.returncode}: {model.stderr.strip()[-300:]}")
    blocks = re.findall(r"^```[^\n]*\n(.*?)^```", model.stdout, re.MULTILINE | re.DOTALL)
    if not blocks:
        sys.exit("the model printed no fenced block")
    predicted = re.search(r"^predict:\s*(.+)$", model.stdout, re.MULTILINE | re.IGNORECASE)
    if predicted:
        print(f"// assay: predict {predicted.group(1)}")
    print(max(blocks, key=len), end="")


main()

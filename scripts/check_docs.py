#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what the pages say exist? README.md and docs/*.md are read as text; nothing is built.

- a command `assay WORD` and the options behind it are in the tables of src/control/cmd/
- a message in a table below "message", "finding" or "what is said" (docs/troubleshooting.md, docs/noisy-machines.md) is in a
  string of src/; "..." stands for what varies
- a relative link leads to a file, and its anchor to a heading of that file
- docs/README.md lists every page
- prose has at most 100 columns; tables, blocks and headings may be wider, and a line of one long word or link

usage: scripts/check_docs.py        1 when something is missing
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEX = ROOT / "docs" / "README.md"
BY_MESSAGE = [ROOT / "docs" / name for name in ("troubleshooting.md", "noisy-machines.md")]
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
VARIES = "\0"  # in a string of the sources: a directive of printf, or a macro between two literals


def tracked(*patterns):
    names = subprocess.run(["git", "ls-files", "--", *patterns], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in names.stdout.split()]


def fenced_blocks(text):
    return re.findall(r"^ *```[a-z]*\n(.*?)^ *```", text, flags=re.M | re.S)


def without_blocks(text):
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)


def code_spans(text):
    return re.findall(r"`([^`\n]+)`", without_blocks(text))


# ---- commands and options ----

def known_commands():
    table = re.search(r"#define COMMANDS\(X\)(.*?)\n// clang", (ROOT / "src/control/cmd/command.h").read_text(), re.S)
    return set(re.findall(r"X\((\w+)\)", table.group(1)))


def known_options():
    found = {"help", "version"}
    for path in tracked("src/control/cmd/*.c"):
        found.update(re.findall(r'\{"([a-z][a-z-]+)",', path.read_text()))
    return found


def calls(text):
    """Every `assay ...` of code: what follows the name, up to the end of the command."""
    lines = [line for block in fenced_blocks(text) for line in block.replace("\\\n", " ").splitlines()]
    lines = [line for line in lines if not re.match(r"\s*(error|assay): ", line)]
    for code in code_spans(text) + lines:
        for found in re.finditer(r"(?:^|(?<!another)[\s(/$;|])assay\s+([^|;#>&]*)", code):
            yield found.group(1).split()


def check_calls(text, commands, options):
    for words in calls(text):
        if words and re.fullmatch(r"[a-z]+", words[0]) and words[0] not in commands:
            yield f"no command '{words[0]}': assay {' '.join(words)}"
        for word in words:
            option = re.match(r"--([a-z][a-z-]+)", word)
            if option and option.group(1) not in options:
                yield f"no option '--{option.group(1)}': assay {' '.join(words)}"


# ---- messages ----

def unescape(literal):
    return literal[1:-1].replace('\\"', '"').replace("\\\\", "\\").replace("\\n", " ")


def source_strings():
    """Strings of the sources, one a line: literals that the compiler joins, with VARIES for what is put in."""
    joined = re.compile(rf"{LITERAL}(?:\s*(?:[A-Z][A-Za-z0-9_]*\s*)?{LITERAL})*")
    strings = []
    for path in tracked("src/*.c", "src/*.h"):
        text = re.sub(r"^\s*//.*", "", path.read_text(), flags=re.M)
        for found in joined.finditer(text):
            pieces = re.split(rf"({LITERAL})", found.group())
            whole = "".join(unescape(p) if p.startswith('"') else VARIES if p.strip() else "" for p in pieces)
            strings.append(re.sub(r"%[-+ 0#*.\d]*[hlzjt]*[a-zA-Z]", VARIES, whole).replace("%%", "%"))
    return "\n".join(strings)


def messages(text):
    """Code in the column of a table that is headed so."""
    column = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            column = None
        elif column is None:
            headed = [i for i, cell in enumerate(cells) if cell in ("message", "finding", "what is said")]
            column = headed[0] if headed else -1
        elif column >= 0:
            yield from re.findall(r"`([^`]+)`", cells[column])


def check_messages(text, strings):
    for message in messages(text):
        for part in message.split("..."):
            if part.strip() and part.strip() not in strings:
                yield f"no string of src/ has '{part.strip()}'"


# ---- links ----

def anchors(text):
    for heading in re.findall(r"^#+ (.*)$", without_blocks(text), flags=re.M):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", shown).strip().replace(" ", "-")


def check_links(page, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name) if name else page
        if not file.exists():
            yield f"no file: {target}"
        elif anchor and anchor not in anchors(file.read_text()):
            yield f"no heading: {target}"


def check_index(pages):
    listed = re.findall(r"\]\(([^)#]+\.md)", INDEX.read_text())
    for page in pages:
        if page.parent == INDEX.parent and page != INDEX and page.name not in listed:
            yield f"does not list {page.name}"


# ---- columns ----

COLUMNS = 100
UNIT = r"(?:[^\s`\[]*(?:`[^`\n]*`|\[[^\]\n]*\]\([^)\s]*\))[^\s`\[]*)+|\S+"  # a word, code or link: not to be broken


def check_columns(text):
    for line in without_blocks(text).splitlines():
        is_prose = not re.match(r"\s*(\||<|!\[|#|    )", line)
        if is_prose and len(line) > COLUMNS and len(re.findall(UNIT, line)) > 2:
            yield f"{len(line)} columns; the limit is {COLUMNS}: {line[:60]}..."


def main():
    commands, options, strings = known_commands(), known_options(), source_strings()
    pages = tracked("README.md", "SECURITY.md", "docs/*.md")
    failures = [(INDEX, fault) for fault in check_index(pages)]
    call_count = 0
    for page in pages:
        text = page.read_text()
        call_count += sum(1 for _ in calls(text))
        failures += [(page, fault) for fault in check_calls(text, commands, options)]
        failures += [(page, fault) for fault in check_links(page, text)]
        failures += [(page, fault) for fault in check_columns(text)]
    for page in tracked("CHANGELOG.md", "CONTRIBUTING.md"):  # the history names commands that were
        failures += [(page, fault) for check in (check_links(page, page.read_text()), check_columns(page.read_text())) for fault in check]
    for page in BY_MESSAGE:
        failures += [(page, fault) for fault in check_messages(page.read_text(), strings)]
    for page, fault in failures:
        print(f"{page.relative_to(ROOT)}: {fault}")
    message_count = sum(1 for page in BY_MESSAGE for _ in messages(page.read_text()))
    if min(call_count, message_count, len(commands), len(options)) < 20:
        sys.exit(f"check_docs: looked at too little: {call_count} calls, {message_count} messages, "
                 f"{len(commands)} commands, {len(options)} options")
    if failures:
        sys.exit(f"check_docs: {len(failures)} things to mend")
    print(f"check_docs: {call_count} calls of assay and {message_count} messages are there")


main()

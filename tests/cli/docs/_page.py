# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page and compares what they print with what the page shows.

usage: _page.py PAGE.md [HEADING]     the whole page, or the part below that heading

Blocks that begin with ```console are one session of bash, from first to last: lines with "$ " are commands (a line that ends with
a backslash goes on in the next), the others are what the command prints, on standard output or standard error. A block with the
name of a file behind its language, as in ```c norm.c, is that file, written there in the session. What varies
between two runs may differ: numbers, units of time and of work, columns and lines of dashes; "..." stands for any text, as a line
for any lines. Numbers that `echo` prints must be equal.
Notes of a busy machine are not compared.
"""
import re
import subprocess
import sys

SAID_BY_THE_MACHINE = re.compile(r"note: |.*(busy before|measured again|left to other programs)")
NUMBER = r"(?<![\w/.])[-+<]?\d+(?:\.\d+)?(?:e[-+]\d+)?x?(?![\w/])"  # "s128" and "71/71" are words


def part_of(text, heading):
    if not heading:
        return text
    found = re.search(rf"^(#+) {re.escape(heading)}$", text, flags=re.M)
    if not found:
        sys.exit(f"no heading '{heading}'")
    rest = text[found.end():]
    end = re.search(rf"^#{{1,{len(found.group(1))}}} ", rest, flags=re.M)
    return rest[:end.start()] if end else rest


def steps_of(text):
    """(command, lines that it prints) in the order of the page."""
    steps = []
    for file, block in re.findall(r"^```(?:console|\w+ ([\w./]+))\n(.*?)^```", text, flags=re.M | re.S):
        if file:
            steps.append((f"cat >{file} <<'END'\n{block}END", []))
            continue
        for line in block.replace("\\\n", "").splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            elif line.strip():
                steps[-1][1].append(line)
    return steps


class Session:
    """One bash; each command's output ends with a line that no command prints."""
    END = "--- end of a step ---"

    def __init__(self):
        self.bash = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, command):
        self.bash.stdin.write(f"{command}\n(exit_code=$?; echo; echo '{self.END}'; exit $exit_code)\n")
        self.bash.stdin.flush()
        lines = []
        for line in self.bash.stdout:
            if line.rstrip("\n") == self.END:
                return [line for line in lines if line.strip()]
            lines.append(line.rstrip("\n"))
        sys.exit(f"the shell ended in: {command}")


def pattern_of(line, is_exact):
    """A regular expression for a line of the page."""
    pieces = []
    for piece in re.split(rf"(\.\.\.|\s+|-{{3,}}|{NUMBER})", re.sub(r"\b(us|ms|ns)\b", "us", line.strip())):
        if piece == "...":
            pieces.append(".*")
        elif re.fullmatch(r"\s+", piece):
            pieces.append(r"\s+")
        elif re.fullmatch(r"-{3,}", piece):
            pieces.append("-{3,}")
        elif re.fullmatch(NUMBER, piece) and not is_exact:
            pieces.append(NUMBER)
        else:
            pieces.append(re.escape(piece))
    return "".join(pieces)


def mismatch(shown, printed, is_exact):
    """The first line of the page that the output does not have in its place, else of the output that the page lacks."""
    printed = [re.sub(r"\b(us|ms|ns)\b", "us", line.strip()) for line in printed if not SAID_BY_THE_MACHINE.match(line)]
    at, may_skip = 0, False
    for line in shown:
        if line.strip() == "...":
            may_skip = True
            continue
        wanted = pattern_of(line, is_exact)
        while may_skip and at < len(printed) and not re.fullmatch(wanted, printed[at]):
            at += 1
        if at == len(printed) or not re.fullmatch(wanted, printed[at]):
            return f"the page has:   {line.strip()}\n   it printed:     {printed[at] if at < len(printed) else '(nothing more)'}"
        at, may_skip = at + 1, False
    if at < len(printed) and not may_skip:
        return f"the page lacks: {printed[at]}"
    return None


def main():
    with open(sys.argv[1]) as file:
        steps = steps_of(part_of(file.read(), " ".join(sys.argv[2:])))
    session = Session()
    failures = 0
    for command, shown in steps:
        printed = session.run(command)
        fault = mismatch(shown, printed, command.startswith("echo"))
        if fault:
            failures += 1
            print(f"$ {command}\n   {fault}")
            print("\n".join("   | " + line for line in printed))
    print(f"{len(steps) - failures} of {len(steps)} commands print what the page shows" if failures else "every command prints what the page shows")
    sys.exit(failures > 0 or len(steps) < 3)


main()

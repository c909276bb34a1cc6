# SPDX-License-Identifier: Apache-2.0
"""Compares what a command of a simulated device printed with the block of a page that shows it, figures included.

usage: _shown.py PAGE.md FIRST_LINE <OUTPUT    the block whose first line is FIRST_LINE

Every line of the block stands in the output, in this order, maybe with others in between. "..." is any text, a line of it is skipped;
lines that the page has broken, indented by two and not of a plot, are put together.
"""
import re
import sys


def main():
    page, first = sys.argv[1:]
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```", open(page, encoding="utf-8").read(), flags=re.M | re.S)
    shown = [block for block in blocks if block.startswith(first + "\n")]
    if len(shown) != 1:
        sys.exit(f"{page}: {len(shown)} blocks begin with '{first}'")
    output = iter(sys.stdin.read().splitlines())
    for line in re.sub(r"\n  (?=\S[^|\n]*\n)", " ", shown[0]).splitlines():
        if line.strip() in ("", "..."):
            continue
        pattern = ".*".join(re.escape(piece) for piece in line.split("..."))
        if not any(re.fullmatch(pattern, printed.rstrip()) for printed in output):
            sys.exit(f"{page}: not printed, or not in this place: {line}")
    print(f"{page.rsplit('/', 1)[-1]}: '{first}' is what is printed")


if __name__ == "__main__":
    main()

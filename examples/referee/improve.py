#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Improves a slow kernel by mutation, with `assay referee` as judge: no model, a list of edits to draw from.

    python3 improve.py [--tries 24] [--seconds 50] [--seed 1]        in this folder; prints what it tries, writes best.c

Some of the edits are wrong on purpose (a tail is dropped, a sum is too coarse): the referee tells which. Replace `draw` by a model to
have a loop of your own; docs/referee.md says what an answer holds.
"""
import argparse, json, os, random, socket, subprocess, sys, tempfile, time

# What a candidate is made of. Of each place one choice; the first is that of start.c.
PLACES = {
    "order": ["columns", "rows"],
    "sum": ["double", "float", "float[8]", "short"],
    "root": ["each element", "each row"],
    "tail": ["all", "in eights"],  # forgets what is behind whole eights
    "option": ["", "-O3", "-O3 -march=native", "-Ofast"],
    "pragma": ["", "GCC unroll 4", "GCC ivdep"],
}


def source(choice):
    """The candidate's text."""
    option, sum_type = choice["option"].split(), choice["sum"]
    text = "#include <math.h>\n"
    for word in option:  # of the compiler, as far as a source may say them
        text += f'#pragma GCC {"target" if "march" in word else "optimize"} ("{word[1:].replace("march=native", "avx2")}")\n'
    pragma = f"#pragma {choice['pragma']}\n" if choice["pragma"] else ""
    end = "hidden" if choice["tail"] == "all" else "hidden / 8 * 8"
    text += "void rmsnorm(const float *restrict x, const float *restrict weight, float *restrict y, int rows, int hidden, float eps) {\n"
    if choice["order"] == "columns":
        text += "static double sums[65536];\nfor (int row = 0; row < rows; ++row) sums[row] = 0;\n"
        text += f"for (int i = 0; i < {end}; ++i)\n{pragma}for (int row = 0; row < rows; ++row) sums[row] += (double)x[row * hidden + i] * x[row * hidden + i];\n"
        text += f"for (int i = 0; i < {end}; ++i)\nfor (int row = 0; row < rows; ++row)\n"
        return text + "y[row * hidden + i] = (float)(x[row * hidden + i] / sqrt(sums[row] / hidden + eps) * weight[i]);\n}\n"
    text += "for (int row = 0; row < rows; ++row, x += hidden, y += hidden) {\n"
    if sum_type == "float[8]":
        text += f"float part[8] = {{0}}, sum = 0;\nint i = 0;\nfor (; i + 8 <= {end}; i += 8)\nfor (int k = 0; k < 8; ++k) part[k] += x[i + k] * x[i + k];\n"
        text += f"for (; i < {end}; ++i) sum += x[i] * x[i];\nfor (int k = 0; k < 8; ++k) sum += part[k];\n"
    else:
        text += f"{sum_type} sum = 0;\n{pragma}for (int i = 0; i < {end}; ++i) sum += x[i] * x[i];\n"
    if choice["root"] == "each row":
        text += f"const float scale = 1 / sqrtf((float)sum / hidden + eps);\n{pragma}for (int i = 0; i < {end}; ++i) y[i] = x[i] * scale * weight[i];\n"
    else:
        text += f"for (int i = 0; i < {end}; ++i) y[i] = x[i] / sqrtf((float)sum / hidden + eps) * weight[i];\n"
    return text + "}\n}\n"


def draw(best, dice):
    """One or two edits of the best so far."""
    choice = dict(best)
    for place in dice.sample(sorted(PLACES), dice.choice([1, 1, 2])):
        choice[place] = dice.choice([value for value in PLACES[place] if value != best[place]])
    return choice


def ask(path, request):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        s.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(s.makefile().readline())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tries", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", default="3")
    options = parser.parse_args()
    dice, began = random.Random(options.seed), time.monotonic()
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "referee")
    server = subprocess.Popen([os.environ.get("ASSAY", "assay"), "referee", "rmsnorm", "--baseline", "start", "--rounds", options.rounds,
                               "--problem", "rmsnorm/rows64/hidden2048,rmsnorm/rows3/hidden1001", "--time-limit", "20s", "--listen", path],
                              stdout=subprocess.PIPE, text=True)
    server.stdout.readline()  # it listens
    best, best_low, best_speedup, seen = {place: values[0] for place, values in PLACES.items()}, 1.0, 1.0, set()
    longest_s = 0.0  # of an answer
    try:
        for number in range(1, options.tries + 1):
            asked = time.monotonic()
            if seen and asked - began + longest_s > options.seconds:  # it would not be done in time
                break
            for _ in range(100):  # one that was not asked for
                choice = draw(best, dice)
                text = source(choice)
                if text not in seen:
                    break
            seen.add(text)
            answer = ask(path, {"source": text, "file": "candidate.c", "name": f"try {number}"})
            longest_s = max(longest_s, time.monotonic() - asked)
            edits = ", ".join(f"{place}: {choice[place] or 'none'}" for place in PLACES if choice[place] != best[place])
            print(f"{number}. {edits}\n   {answer.get('sentence') or answer.get('error')}", flush=True)
            ratio = (answer.get("against") or [{}])[0]
            # Only the lower end counts, so that noise wins nothing.
            if answer.get("verdict") == "right" and ratio.get("speedup_low", 0) > best_low:
                best, best_low, best_speedup = choice, ratio["speedup_low"], ratio["speedup"]
                with open("best.c", "w") as out:
                    out.write(text)
    finally:
        server.terminate()
        server.wait()
    print(f"best: {best_speedup:.2f}x as fast as start.c, at least {best_low:.2f}x; {time.monotonic() - began:.0f} s, {len(seen)} candidates")
    return 0 if best_low > 1 else 3


if __name__ == "__main__":
    sys.exit(main())

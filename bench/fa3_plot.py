# SPDX-License-Identifier: Apache-2.0
"""The sweep of FlashAttention-3's paper as a figure: fa3_plot.py OUT.svg RESULT.json [RESULT.json...]

RESULT.json: results of `assay bench --suite fa3`, whose sides are drawn together: TFLOP/s over the sequence length, a panel for each
head dimension and mask. Needs gnuplot (Debian: gnuplot-nox).
"""

import json
import re
import subprocess
import sys

PANELS = [(64, False), (64, True), (128, False), (128, True)]
COLOURS = ["#1b4f9c", "#8c8c8c", "#d95f02", "#e6ab02", "#5aa0e6"]
SHAPE = re.compile(r"/b(\d+)/h(\d+)/s(\d+)/d(\d+)(/causal)?")


def tflops(problem, median_ns):
    """The panel, the sequence length, and TFLOP/s counting 4 B H S^2 D operations, half of them under a mask."""
    batch, heads, length, dim = (int(x) for x in SHAPE.search(problem).groups()[:4])
    causal = SHAPE.search(problem).group(5) is not None
    flop = 4 * batch * heads * length**2 * dim / (2 if causal else 1)
    return (dim, causal), length, flop / median_ns / 1e3


def read(paths):
    """{panel: {kernel: {length: TFLOP/s}}}"""
    rates = {panel: {} for panel in PANELS}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        for case in result["cases"]:
            for side in case["summary"]:
                panel, length, rate = tflops(case["problem"], side["median_ns"])
                kernel = result["sides"][side["side"]]["kernel"]
                rates[panel].setdefault(kernel, {})[length] = rate
    return rates


def script(out, rates):
    """The gnuplot script."""
    lines = [
        "set terminal svg size 900,640 font 'sans-serif,12' background rgb 'white'",
        f"set output '{out}'",
        "set multiplot layout 2,2",
        "set logscale x 2; set yrange [0:1000]; set xrange [430:19000]; set grid ytics lc rgb '#dddddd'",
        "set xlabel 'sequence length, 16 384 tokens in all'; set ylabel 'TFLOP/s'; set key top left maxrows 3 samplen 2 font ',10'",
        "set xtics (512, 1024, 2048, 4096, 8192, 16384)",
    ]
    for dim, causal in PANELS:
        lines.append(f"set title 'D = {dim}{', causal' if causal else ''}'")
        kernels = rates[dim, causal]
        plots = [
            f"'-' with linespoints lw 2 pt 7 ps 0.5 lc rgb '{colour}' title '{kernel}' noenhanced"
            for kernel, colour in zip(kernels, COLOURS)
        ]
        lines.append("plot " + ", ".join(plots))
        for points in kernels.values():
            lines += [f"{length} {rate:.1f}" for length, rate in sorted(points.items())] + ["e"]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    subprocess.run(["gnuplot"], input=script(sys.argv[1], read(sys.argv[2:])), text=True, check=True)


main()

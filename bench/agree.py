# SPDX-License-Identifier: Apache-2.0
#
# Compares assay's medians of its peers with those of bench/sdpa_graphs.py in the same run, and with earlier figures from the same
# kind of card. agree.py RESULT.json SDPA.json [WARM.json]: prints one line for each problem and peer of both comparisons. Exit
# code 1 if a median is missing, or off by more than 1 % (same run) or 10 % (earlier figures). Standard library only.
#
# The earlier figures rotated over three sets of tensors, which fit in the L2 for small problems. Small problems are therefore
# compared with WARM, a run with --cache warm, and the others with RESULT. Without WARM the small ones are left out, with a note.
import json
import sys

SAME_RUN_MAX = 0.01
BEFORE_MAX = 0.10
BEFORE_US = {  # NVIDIA H200, CUDA 13.0, PyTorch 2.11 with cuDNN 9.19, cool: torch:cudnn, torch:flash
    "s512": (48.1, 69.2), "mission": (9.1, 10.1), "small": (9.6, 13.1), "long": (42.2, 61.7), "s128": (10.5, 9.4),
    "s256": (18.0, 23.2), "s1024": (159, 244), "s2048": (588, 925), "s512_d128": (132.6, 221), "s512_causal": (39.1, 61.8),
}
WARM = ("mission", "small")
# The column of BEFORE_US for each peer. cudnn is the same library as torch:cudnn, called from C.
BEFORE_COLUMN = {"torch:cudnn": 0, "torch:flash": 1, "cudnn": 0}
WARM_PEERS = ("torch:flash", "cudnn")


def medians_us(path):
    """{(problem, kernel): median} of an assay result; a peer's label has its version."""
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    kernels = [side["kernel"] for side in result["sides"]]
    return {(case["problem"], kernels[summary["side"]]): summary["median_ns"] / 1e3
            for case in result["cases"] for summary in case.get("summary", []) if summary.get("median_ns")}


def say(where, ours_us, other_us, limit):
    """Prints one comparison; True if the two medians are within the limit."""
    if ours_us is None:
        print(f"{where}    missing: assay has no median")
        return False
    apart = ours_us / other_us - 1
    is_close = abs(apart) <= limit
    print(f"{where} {ours_us:10.3f} {other_us:10.3f} {100 * apart:+8.2f} %{'' if is_close else '  OFF'}")
    return is_close


def same_run(ours, rows):
    print(f"{'problem':12} {'peer':12} {'assay us':>10} {'graphs us':>10} {'apart':>10}")
    agreed = []
    for row in rows:
        where = f"{row['name']:12} {row['backend']:12}"
        if "error" in row:
            print(f"{where}    missing: {row['error']}")
            agreed.append(False)
        else:
            agreed.append(say(where, ours.get((row["problem"], row["backend"])), row["median_us"], SAME_RUN_MAX))
    print(f"within 1 % in this run: {sum(agreed)} of {len(agreed)}\n")
    return bool(agreed) and all(agreed)


def before(ours, warm, problem_of):
    print(f"{'problem':12} {'peer':12} {'cache':8} {'assay us':>10} {'before us':>10} {'apart':>10}")
    agreed = []
    for name, figures in BEFORE_US.items():
        is_warm = name in WARM
        if is_warm and warm is None:
            print(f"{name:12} left out: no run with --cache warm is given")
            continue
        for peer in WARM_PEERS if is_warm else BEFORE_COLUMN:
            ours_us = (warm if is_warm else ours).get((problem_of.get(name), peer))
            where = f"{name:12} {peer:12} {'warm' if is_warm else 'rotated':8}"
            agreed.append(say(where, ours_us, figures[BEFORE_COLUMN[peer]], BEFORE_MAX))
    print(f"within 10 % of before: {sum(agreed)} of {len(agreed)}")
    return bool(agreed) and all(agreed)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: agree.py RESULT.json SDPA.json [WARM.json]")
    ours, warm = medians_us(sys.argv[1]), medians_us(sys.argv[3]) if len(sys.argv) == 4 else None
    with open(sys.argv[2], encoding="utf-8") as timing:
        rows = json.load(timing)["rows"]
    is_same = same_run(ours, rows)
    is_as_before = before(ours, warm, {row["name"]: row["problem"] for row in rows})
    return 0 if is_same and is_as_before else 1


if __name__ == "__main__":
    sys.exit(main())

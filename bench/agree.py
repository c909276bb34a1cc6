# SPDX-License-Identifier: Apache-2.0
#
# Do assay's medians of PyTorch's backends agree with bench/sdpa_graphs.py's of the same run, and with what was measured on this
# kind of card before? agree.py RESULT.json SDPA.json: one line a problem and backend; exit code 1 when one is off by more than
# 1 % (the same run) or missing. Standard library only.
import json
import sys

SAME_RUN_MAX = 0.01
BEFORE_MAX = 0.10
BEFORE_US = {  # NVIDIA H200, CUDA 13.0, PyTorch 2.11 with cuDNN 9.19, cool: torch:cudnn, torch:flash
    "s512": (48.1, 69.2), "mission": (9.1, 10.1), "small": (9.6, 13.1), "long": (42.2, 61.7), "s128": (10.5, 9.4),
    "s256": (18.0, 23.2), "s1024": (159, 244), "s2048": (588, 925), "s512_d128": (132.6, 221), "s512_causal": (39.1, 61.8),
}


def medians_us(result):
    """{(problem, label): median} of an assay result."""
    labels = [side["label"] for side in result["sides"]]
    return {(case["problem"], labels[summary["side"]]): summary["median_ns"] / 1e3
            for case in result["cases"] for summary in case.get("summary", []) if summary.get("median_ns")}


def before_us(name, backend):
    cudnn_us, flash_us = BEFORE_US.get(name, (None, None))
    return {"torch:cudnn": cudnn_us, "torch:flash": flash_us}.get(backend)


def compare(ours, row):
    """Prints a line; True when the two of this run agree."""
    key = (row["problem"], row["backend"])
    if "error" in row or key not in ours:
        print(f"{row['name']:12} {row['backend']:12} missing: {row.get('error', 'assay has no median')}")
        return False
    our_us, their_us, past_us = ours[key], row["median_us"], before_us(row["name"], row["backend"])
    is_close = abs(our_us / their_us - 1) <= SAME_RUN_MAX
    past = "" if past_us is None else f"{past_us:10.1f} {100 * (our_us / past_us - 1):+7.1f} %"
    marks = "" if is_close else "  OFF"
    if past_us is not None and abs(our_us / past_us - 1) > BEFORE_MAX:
        marks += "  unlike before"
    print(f"{row['name']:12} {row['backend']:12} {our_us:10.3f} {their_us:10.3f} "
          f"{100 * (our_us / their_us - 1):+7.2f} % {past}{marks}")
    return is_close


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: agree.py RESULT.json SDPA.json")
    with open(sys.argv[1], encoding="utf-8") as result, open(sys.argv[2], encoding="utf-8") as timing:
        ours, theirs = medians_us(json.load(result)), json.load(timing)
    print(f"{'problem':12} {'backend':12} {'assay us':>10} {'graphs us':>10} {'apart':>9} {'before us':>10} {'apart':>9}")
    agreed = [compare(ours, row) for row in theirs["rows"]]
    print(f"within 1 % in this run: {sum(agreed)} of {len(agreed)}")
    return 0 if agreed and all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())

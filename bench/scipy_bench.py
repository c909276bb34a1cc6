#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# The statistics of one comparison as a skilled user of NumPy and SciPy writes them: percentile bootstrap of both medians (10 000
# resamples, vectorised), Cliff's delta by broadcasting, mannwhitneyu. The time excludes interpreter start and imports.
#   scipy_bench.py PROBLEMS SAMPLES FILE OURS_MS
# FILE: output of `stats_bench --work`, with samples and figures of the first problems. The figures are compared with those
# computed here, to make sure that both programs do the same work.
import sys
import time

import numpy as np
from scipy.stats import mannwhitneyu

RESAMPLES = 10_000
SECONDS_MAX = 10  # then the rest is extrapolated


def interval(x, rng):
    resamples = x[rng.integers(0, len(x), (RESAMPLES, len(x)))]
    return np.percentile(np.median(resamples, axis=1), [2.5, 97.5])


def figures(a, b, rng):
    delta = np.sign(b[:, None] - a[None, :]).mean()
    test = mannwhitneyu(b, a, alternative="two-sided")
    return (*interval(a, rng), *interval(b, rng), delta, test.pvalue)


def read(path):
    """Problems as pairs of samples with assay's figures: lines 'a ...', 'b ...', 'is ...'."""
    problems = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            key, *words = line.split()
            if key == "a":
                problems.append({})
            if key in ("a", "b", "is"):
                problems[-1][key] = np.array([float(word) for word in words])
    return problems


def main():
    wanted, samples, ours_ms = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[4])
    problems = read(sys.argv[3])
    rng = np.random.default_rng(42)
    figures(problems[0]["a"], problems[0]["b"], rng)  # first calls are slow
    done, worst = 0, 0.0
    start = time.perf_counter()
    while done < wanted and time.perf_counter() - start < SECONDS_MAX:
        problem = problems[done % len(problems)]
        theirs = figures(problem["a"], problem["b"], rng)
        worst = max(worst, *(abs(t / o - 1) for t, o in zip(theirs[:4], problem["is"][:4])))
        # delta is exact; p spans many magnitudes, so its absolute difference is compared
        assert abs(theirs[4] - problem["is"][4]) < 1e-9 and abs(theirs[5] - problem["is"][5]) < 1e-9, (theirs, problem["is"])
        done += 1
    their_ms = 1e3 * (time.perf_counter() - start) * wanted / done
    how = "" if done == wanted else f", from {done} problems"
    print(f"{'NumPy and SciPy (10 000 resamples' + how + ')':<58} {their_ms:10.1f} ms")
    print(f"{'ratio':<58} {their_ms / ours_ms:10.0f} x   (aim 100)")
    print(f"same figures: delta and p agree, ends of intervals within {100 * worst:.2g} % ({samples} samples; theirs are drawn)")


if __name__ == "__main__":
    main()

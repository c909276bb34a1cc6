# SPDX-License-Identifier: Apache-2.0
"""Every golden pair through `assay compare`: times in units of 1 ns * SCALE so that integers hold them."""
import json
import subprocess
import sys

EXIT = {"regression": 1, "improvement": 0, "maintained": 0, "no_significant_difference": 2}


def scale_of(values):
    """Integers with the same order statistics: golden values are decimal fractions, so a power of ten makes most of
    them whole; what remains is rounded to 1 part in 1e14, far below what moves a verdict."""
    return 10.0 ** 14 / max(abs(v) for v in values)


def main():
    assay = "assay"
    golden = json.load(open(sys.argv[1]))
    template = json.loads(subprocess.run(
        [assay, "bench", "--kernel", "naive", "--problem", "attention/fp32/b1/h1/s16/d16", "--iters", "6", "--quiet",
         "--output", "-"], capture_output=True, text=True).stdout)
    bad = 0
    for pair in golden["pairs"]:
        scale = scale_of(pair["a"] + pair["b"])
        for side, path in (("a", "a.json"), ("b", "b.json")):
            made = json.loads(json.dumps(template))
            case = made["cases"][0]
            round0 = case["rounds"][0]
            times = [round(v * scale) for v in pair[side]]
            samples = round0["samples"][0]
            for key in list(samples):
                if isinstance(samples[key], dict) or isinstance(samples[key], list):
                    del samples[key]
            samples.update(start_ns=list(range(len(times))), duration_ns=times, launches=1)
            round0["is_valid"] = True  # whatever this machine was busy with: the times are replaced
            round0.pop("invalid_reason", None)
            case["rounds"] = [round0]
            json.dump(made, open(path, "w"))
        run = subprocess.run([assay, "compare", "a.json", "b.json", "--bootstrap", "mt19937:42", "--no-guards", "--json"],
                             capture_output=True, text=True)
        want = pair["spec_first_match"]["verdict"]
        got = json.loads(run.stdout)["cases"][0] if run.stdout.strip().startswith("{") else {"verdict": run.stderr}
        if got["verdict"] != want or run.returncode != EXIT[want]:
            print(pair["name"], "wanted", want, EXIT[want], "got", got["verdict"], run.returncode)
            bad += 1
        if min(len(pair["a"]), len(pair["b"])) < 6:
            guarded = subprocess.run([assay, "compare", "a.json", "b.json"], capture_output=True, text=True)
            if guarded.returncode != 3:
                print(pair["name"], "guard: wanted 3, got", guarded.returncode)
                bad += 1
    if bad:
        sys.exit(1)
    print(len(golden["pairs"]), "pairs agree")


main()

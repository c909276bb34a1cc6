# SPDX-License-Identifier: Apache-2.0
# Writes made.json: two kernels, two problems, three rounds of which one was not valid; times follow a fixed pattern.
import json


def samples(side, base, step):
    times = [base + step * ((i * 7) % 20) for i in range(20)]
    return {"side": side, "launches": 10, "duration_ns": times, "discard": {"0": "first_pair", "7": "steal"}}


def rounds(base):
    made = [{"round": r, "samples": [samples(0, base + 1000 * r, 100), samples(1, base // 2, 50)]} for r in range(3)]
    made[1] |= {"is_valid": False, "invalid_reason": "other processes took 14 % of the processors"}
    return made


names = {"s512": "attention/fp32/b2/h8/s512/d64", "small": "attention/fp32/b1/h8/s256/d64"}
cases = [{"problem": name, "short_name": short, "rounds": rounds(480000)} for short, name in names.items()]
sides = [{"role": "baseline", "label": "tiled"}, {"role": "candidate", "label": "simd"}]
with open("made.json", "w", encoding="utf-8") as out:
    json.dump({"kind": "assay.result", "schema_version": 1, "sides": sides, "cases": cases}, out)

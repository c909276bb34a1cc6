# slow: the numbers of three gates, by paths that every gate of sim takes
# The same plan gives the same samples, whatever else the machine does; another seed gives others.
# Each gate has a cache of its own: after a failure the gate log would make it a rerun, on fresh data.
gate() { XDG_CACHE_HOME=$PWD/cache-$1 report_of gate --device sim:promise --candidate sim_slower4 --baseline sim --only p0,p1,p2,p3,p4,p5 --output-dir "$@" >"$1.out"; }
gate a --seed 7; gate b --seed 7; gate c --seed 8
python3 - <<'P'
import glob, json
def samples(folder):
    result = json.load(open(glob.glob(folder + "/*/result.json")[0]))
    return [(c["problem"], r["round"], s["side"], s["duration_ns"], s.get("clock_hz"))
            for c in result["cases"] for r in c["rounds"] for s in r["samples"]]
a, b, c = samples("a"), samples("b"), samples("c")
assert len(a) >= 100 and all(len(s[3]) >= 20 for s in a)
print("same seed:", "same samples" if a == b else "other samples")
print("another seed:", "same samples" if a == c else "other samples")
P

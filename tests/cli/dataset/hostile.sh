# Files of a set are a stranger's: what is malformed, too large or leads out of the set is one sentence and 65.
. "$ASSAY_SOURCE/tests/cli/dataset/_set.sh"
made() { # $1: what is done to the set, in Python, with d (the definition), w (the first workload), s (a solution) and b (the file of data)
    rm -rf bad && cp -r "$set/trace" bad && python3 - "$1" <<'P'
import json, sys
paths = dict(d="definitions/paged/paged_sum_h8.json", s="solutions/sum_fills.json")
d, s = (json.load(open("bad/" + paths[k])) for k in "ds")
lines = open("bad/workloads/paged/paged_sum_h8.jsonl").read().splitlines()
w, b = json.loads(lines[0]), bytearray(open("bad/blob/workloads/paged.safetensors", "rb").read())
exec(sys.argv[1])
json.dump(d, open("bad/" + paths["d"], "w")), json.dump(s, open("bad/" + paths["s"], "w"))
open("bad/workloads/paged/paged_sum_h8.jsonl", "w").write("\n".join([json.dumps(w)] + lines[1:]))
open("bad/blob/workloads/paged.safetensors", "wb").write(b)
P
    says fuzz --dataset bad --definition paged_sum_h8 --solution sum_fills --suite paged_sum_h8
}
made 'd["axes"] = {"a%d" % i: {"type": "var"} for i in range(100000)}'
made 'd["axes"]["len_indptr"]["type"] = "size"'
made 'd["axes"]["hidden"]["value"] = 1 << 50'
made 'd["inputs"]["cache"]["shape"] = ["num_pages"] * 99'
made 'd["inputs"]["cache"]["dtype"] = "float128"'
made 'd["inputs"]["a b"] = d["inputs"].pop("cache")'
made 'd["constraints"].append("__import__(\"os\").system(\"id\")")'
made 'd["reference"] = None'
made 'w["workload"]["inputs"]["kv_indptr"]["path"] = "../../../etc/passwd"'
made 'w["workload"]["inputs"]["kv_indptr"]["type"] = "pickle"'
made 'w["workload"]["axes"]["a=b, c"] = 1'
made 'w["workload"]["tolerance"] = {"max_rtol": 9}'
made 'b[:8] = b"\xff" * 8'
made 'b[8:9] = b"["'
made 'b[:] = b.replace(b"[12, 32]", b"[12, 99]")'
made 'b[:] = b.replace(b"[5]", b"[6]")'
made 'b[:] = b[:4]'
made 's["sources"][0]["path"] = "../main.py"; s["spec"]["entry_point"] = "../main.py::run"'
made 's["sources"] *= 2'
made 's["spec"]["entry_point"] = "main.py::run(); import os"'
made 's["sources"] = []'
echo '{' >bad/definitions/paged/paged_sum_h8.json
says fuzz --dataset bad --definition paged_sum_h8
assay list --dataset bad | grep -c paged_sum_h8.json # one that cannot be read does not hide the others

# slow with sanitizers: build/cuda_arch takes its branches
# A CUDA kernel: built, cached, reported; a comment changes no machine code, a constant does.
. "$ASSAY_SOURCE/tests/cli/build/_cuda.sh"
assay build --kernel tiny --arch sm_80 --json >second.json || exit 9
sed -i '1i // another comment\n\n' csrc/tiny.cu
assay build --kernel tiny --arch sm_80 --json >comment.json || exit 9
sed -i 's/define SCALE 3/define SCALE 5/' csrc/tiny.cu
assay build --kernel tiny --arch sm_80 --json >changed.json || exit 9
python3 - <<'P'
import json
first, second, comment, changed = (json.load(open(f + ".json"))["built"][0] for f in ("first", "second", "comment", "changed"))
assert not first["is_cached"] and second["is_cached"] and first["module"] == second["module"]
assert first["targets"] == ["sm_80"] and first["compiler"].startswith("nvcc ")
for key in ("registers", "spill_bytes", "shared_bytes", "stack_bytes_max", "code_bytes", "matrix_instructions", "entries"):
    assert first[key] == second[key], key
assert first["registers"] > 0 and first["spill_bytes"] == 0 and first["matrix_instructions"] == 0
assert len(first["entries"]) == 1 and first["entries"][0].startswith("sm_80 tiny: ")
assert not comment["is_cached"] and comment["code_hash"] == first["code_hash"]
assert changed["code_hash"] != first["code_hash"]
print("as it should be")
P

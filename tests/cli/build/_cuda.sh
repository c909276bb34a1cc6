# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: a manifest with the kernel of _tiny.cu; ends the test where there is no nvcc.
export XDG_CACHE_HOME=$PWD/.cache # what other tests built is none of this one
mkdir csrc && cp "$ASSAY_SOURCE/tests/cli/build/_tiny.cu" csrc/tiny.cu
printf 'version: 1\nkernels:\n  tiny: {operator: attention, source: csrc/tiny.cu}\n' >assay.yaml
assay build --kernel tiny --arch sm_80 --json >first.json 2>first.err
code=$?
if [ $code = 69 ] && grep -q "needs nvcc" first.err; then echo "SKIPPED: no nvcc"; exit 0; fi
[ $code = 0 ] || { cat first.err; exit 9; }
# figure FILE NAME: a member of what was built
figure() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["built"][0].get(sys.argv[2]))' "$@"; }
# wants FILE PATTERN...: these must stand in the file, each on a line, in this order; else it is shown, and the test ends.
wants() {
    local file=$1 pattern line
    shift
    exec 7<"$file"
    for pattern; do
        while :; do
            IFS= read -r line <&7 || { echo "no line matches: $pattern"; cat "$file"; exit 9; }
            # shellcheck disable=SC2053
            [[ $line == $pattern ]] && break
        done
    done
    exec 7<&-
}

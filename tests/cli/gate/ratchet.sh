# slow
# A module that grew beyond gate.ratchet fails a gate whatever was measured, as a regression of its own kind; a candidate cannot allow
# itself more, and a figure that a processor's kernel does not have is not judged.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; sed -i 's#a: [^,]*,#a: attention/fp32/b1/h1/s16/d16,#' assay.yaml # nobody judges its time
sed -i 's/candidate: mine}/candidate: mine, ratchet: {registers: 0, binary_bytes: 1 %}}/' assay.yaml; git commit -qam ratchet
gate() { report_of gate --baseline git:HEAD --rounds 5 --iters 5 --only a "$@"; }
echo "/* a comment */" >>csrc/mine.c
gate | grep -E '^(same|registers|binary_bytes)'; echo "comment: ${PIPESTATUS[0]}"
echo 'const int table[4096] = {1};' >>csrc/mine.c
sed -i 's/binary_bytes: 1 %/binary_bytes: 900 %/' assay.yaml
gate >out; echo "larger: $?"
grep -E '^(gate.ratchet|registers|binary_bytes)' out
sed -n 2p out
grep -E '"(verdict|outcome|allowance)"' runs/*/result.json | sed 's/.*json://' | grep -E 'compiler|not_judged|%'
assay report "$(ls -td runs/*/ | head -1)result.json" --format markdown | grep -c '^| binary'
gate --policy candidate >out; grep -E '^(binary_bytes)' out

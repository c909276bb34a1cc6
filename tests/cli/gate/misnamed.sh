# What the command line names wrongly is an error of usage, no decision: a kernel that neither side has, a file that is not there, a
# folder that no build takes. A kernel that only the baseline lacks stays 3.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
try() { "$@" 2>&1 >/dev/null | sed "s|[^ ']*/here/|HERE/|g; s|[;?] [Tt]here are .*||"; echo "exit ${PIPESTATUS[0]}"; }
sim_project
try sim_gate --candidate mien
try sim_gate --kernel nope
sed -i 's/^kernels:/&\n  new: {operator: scale, backend: sim, sim: {base_us: 90}}/' assay.yaml
try sim_gate --candidate new
try sim_gate --candidate neww
mkdir cpu && cd cpu && project
try assay gate --baseline git:HEAD --candidate mien
try assay gate --baseline git:HEAD --module nosuch.so
mkdir ../$'a\nb' && cd ../$'a\nb' && cp -r ../cpu/* .
echo "int in_no_cache_of_another_test; // only what must be built is refused" >>csrc/mine.c
try assay gate --baseline mine --candidate mine

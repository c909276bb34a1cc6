# Kernels that come with assay as baseline and peers of a manifest; those for another device are left out. They have no revisions.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
sed -i 's/^gate: {/&baseline: "assay:tiled", /; $a peers: ["assay:simd", "assay:fa_sm90", "assay:gemm_simd"]' assay.yaml
assay bench --kernel mine --dry-run | grep -E '^(candidate|peer) '
assay gate --dry-run | grep -E '^(baseline|candidate) '
said() { "$@" 2>&1 >out | sed 's|/[^ ]*/assay.yaml|assay.yaml|g'; echo "exit ${PIPESTATUS[0]}"; }
said assay gate --candidate assay:simd --baseline git:HEAD --dry-run
said assay bench --kernel assay:simd --device sim:steady --dry-run
# The device follows them as it follows kernels of the manifest.
said assay bench --kernel assay:fa_sm90 --vs assay:simd --dry-run
sed -i 's/assay:tiled/assay:tilde/' assay.yaml
said assay gate --dry-run | sed 's/ there are .*//'
sed -i 's/candidate: mine/candidate: "assay:simd"/' assay.yaml
said assay gate --dry-run

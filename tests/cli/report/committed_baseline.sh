# This repository's own baseline is read, holds what docs/ci.md says of it, and its kernel is the manifest's. Changed by hand, it is refused.
file=$ASSAY_SOURCE/.ci/baseline_s512.json
assay report "$file" --color never | grep -oE '^(device +NVIDIA [A-Z0-9]+|fa_s512: 1/1 passed|\[1/1\] s512 +median [0-9.]+ us|samples +[0-9]+ a side)'
tr '\n' ' ' <"$ASSAY_SOURCE/docs/ci.md" | grep -o 'ten rounds, 200 samples, 74.0 us' # wherever its lines break
grep -c '^  fa_s512: .*fa_sm80.cu, config:' "$ASSAY_SOURCE/assay.yaml"
sed 's/"device_s": [0-9.]*/"device_s": -1/' "$file" >changed.json
assay report changed.json 2>&1 >/dev/null | cut -c1-60
echo "changed: ${PIPESTATUS[0]}"

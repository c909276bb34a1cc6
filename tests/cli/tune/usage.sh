# What a tuning says before it measures, and its log; --dry-run, mistakes, nothing to gain.
. "$ASSAY_SOURCE/tests/cli/tune/_space.sh"
tune --dry-run
tune --strategy clever; echo "exit $?"
tune --rounds 1; echo "exit $?"
tune --final-rounds 2; echo "exit $?"
tune --strategy exhaustive --max-variants 3 --quiet --json >three.json; echo "exit $?"
/usr/bin/python3 -c '
import json
print([v["config"] for v in json.load(open("three.json"))["variants"]])'
sed -n '/^## Variants/,/^$/p;/^## Next/,$p' runs/*/log.md
manifest "$space" "$problems"
report_of tune --device sim:steady --problem scale/fp32/n64 --max-variants 4 | sed -n 2p; echo "exit ${PIPESTATUS[0]}"
tune --strategy exhaustive --max-variants 3 --budget 600s --output-dir told | grep '^heat' | sed -E 's/[0-9.]+x/Nx/; s/[0-9]+ min [0-9]+ s left/T left/'

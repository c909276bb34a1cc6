assay run integrated --dry-run --kernel naive | grep -o 'attention/fp32/b8/h4/s64/d64'
assay run nosuch --dry-run --kernel naive; echo "unknown: $?"
assay bench --kernel naive --problem attention/fp32/b1/h1/s16/d16 --only x; echo "both: $?"
assay baseline set --kernel naive --only q64 --suite quick --output b.json --dry-run >/dev/null; echo "dry: $?"; ls

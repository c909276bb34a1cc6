# An empty name in a list of kernels is refused, not left out.
for list in "" "torch," ",torch" "torch,,cudnn"; do
    assay bench --kernel naive --vs "$list" --dry-run >/dev/null 2>err
    echo "$? $(grep -c 'empty name' err)"
done
assay bench --kernel "naive," --dry-run
echo "$?"

# The example kernel of docs/adding.md: one file, builds and checks, and touches nothing of assay.
sed -n '/^```c$/,/^```$/p' "$ASSAY_SOURCE/docs/adding.md" | sed '1d;$d' >scale_plain.c
printf 'version: 1\nkernels: {scale_plain: {operator: scale, backend: cpu, source: scale_plain.c}}\n' >assay.yaml
assay fuzz --kernel scale_plain --problem "$(assay list operators | awk '$1 == "scale" { print $NF }')" && echo "there:" *

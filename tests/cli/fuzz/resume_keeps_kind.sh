# A resumed run keeps its kind: an oracle-only run still ends with 2, and another command refuses to resume it.
assay fuzz --suite quick >/dev/null; echo "first: $?"
assay fuzz --resume last >/dev/null; echo "resumed: $?"
assay bench --resume last; echo "by another command: $?"

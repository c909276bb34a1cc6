# A resumed run is what it was: an oracle-only one stays 2, and another command refuses it.
assay fuzz --suite quick >/dev/null; echo "first: $?"
assay fuzz --resume last >/dev/null; echo "resumed: $?"
assay bench --resume last; echo "by another command: $?"

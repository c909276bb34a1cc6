# The shipped tolerances let no known wrong result pass on the quick suite; nothing is written.
assay fuzz --audit --suite quick; code=$?
[ ! -e runs ] && echo "no run"
exit $code

# a kernel in plain Python, on assay's memory: right, and its source folder stays clean
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
assay fuzz --kernel plain --suite tiny || exit 1
[ -z "$(find kern -name __pycache__)" ] && echo "no caches left behind"

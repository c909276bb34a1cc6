# A change to the better is found, too.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
history 16 11 -20
bisect_report good..HEAD | sed -n 2,4p | plain

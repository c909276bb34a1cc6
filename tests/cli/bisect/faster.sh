# A change to the better is found, too.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
history 16 11 -20
bisect good..HEAD --quiet | sed -n 2,4p | plain

# With a kernel, the list is what is checked on it: this one takes fp32 alone, and a name of the list can be repeated.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
assay fuzz --kernel mine --list >all; echo "exit $?"; head -1 all; grep -vc /fp32/ all
assay fuzz --kernel mine --suite boundary --list >boundary; grep -vc /fp32/ boundary
assay fuzz --kernel mine --problem "$(sed -n '1s/.*\] \([^,]*\).*/\1/p' boundary)" --quiet
assay fuzz --kernel nope --list 2>/dev/null; echo "no such kernel: $?"

# slow: fuzz/boundary, gate/removed_types and unit/test_suite take its branches
# Where no dtype is named, a matrix is checked in those that the kernel supports: this one takes fp32 alone.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
assay fuzz --kernel mine --suite boundary --json | python3 -c '
import json, sys
checks = json.load(sys.stdin)["checks"]
print(sorted({check["problem"].split("/")[1] for check in checks}), len(checks) > 60)
print(sorted({check["distribution"] for check in checks} & {"nan", "normal"}), sorted({check["memory_layout"] for check in checks} & {"dense", "padded"}))'
report_of fuzz --kernel mine --suite boundary --dtype fp16 | grep "supports none"
# A problem that is not supported costs neither inputs nor a reference, which would take ten seconds.
TIMEFORMAT="%U %S"
{ time assay fuzz --kernel mine --problem attention/fp16/b48/h16/s640/d64; } 2>used | head -1
awk '{ print $1 + $2 < 5 ? "at once" : "used " $1 + $2 " s of a processor" }' used
# What is measured has the usual inputs.
assay bench --kernel mine --suite boundary 2>&1
echo "exit $?"
assay fuzz --suite boundary 2>&1
echo "exit $?"

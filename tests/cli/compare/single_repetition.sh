# Two files with one repetition each: the heading says what the table says, that so few samples decide nothing; two machines are still
# not comparable.
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/formats PYTHONDONTWRITEBYTECODE=1
python3 -c '
from _google import *
write("a.json", rows("f", [100.0])); write("b.json", rows("f", [110.0]))
many = [100 + 0.1 * ((i * 7) % 20) for i in range(20)]
write("d.json", rows("f", [100.0]) + rows("g", many, 1)); write("e.json", rows("f", [110.0]) + rows("g", [t * 2 for t in many], 1))
write("f.json", rows("g", many)); write("h.json", rows("g", many), host_name="gpu02")' || exit 9
try() { echo "--- $*"; assay compare "$@" >out; echo "exit $?"; sed -n '2p; /^problem/,/^$/p' out | grep -v '^-*$'; }
try a.json b.json
try d.json e.json
try f.json h.json

# PyTorch, which takes seconds to start, is imported by the process that measures and by no other; where it is missing, that is said.
# A host may not write the file that counts, so it prints; any other process that imports would write it.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
mkdir counted && cp -r "$ASSAY_SOURCE/tests/cli/python/_fake/torch" counted/
cat >>counted/torch/__init__.py <<P
import sys
try:
    open("$PWD/imports", "a").write("one ")
except OSError:
    print("imported in a host", file=sys.stderr)
P
PYTHONPATH=$PWD/counted assay fuzz --kernel torch:math --problem attention/fp32/b1/h1/s2/d2 --verbose 2>err | grep '^1/1'
echo "hosts: $(grep -c 'imported in a host' err), others: $(cat imports 2>&1)"
PYTHONPATH=$PWD/counted assay fuzz --isolation none --kernel torch:math --problem attention/fp32/b1/h1/s2/d2 | grep '^1/1'
echo "$(cat imports)import"
printf '#!/bin/sh\nexec python3 -S "$@"\n' >bare && chmod +x bare # without what is installed
echo 'python_interpreter: ./bare' >>assay.yaml
PYTHONPATH= assay fuzz --kernel torch:math --problem attention/fp32/b1/h1/s2/d2 2>&1
echo "exit $?"

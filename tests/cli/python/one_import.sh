# PyTorch, which takes seconds to start, is imported by the worker that measures and by no other; where it is missing, that is said
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
mkdir counted && cp -r "$ASSAY_SOURCE/tests/cli/python/_fake/torch" counted/
echo 'open("'"$PWD"'/imports", "a").write("one ")' >>counted/torch/__init__.py
PYTHONPATH=$PWD/counted assay fuzz --kernel torch:math --problem attention/fp32/b1/h1/s2/d2 | grep '^1/1'
echo "$(cat imports)import"
printf '#!/bin/sh\nexec python3 -S "$@"\n' >bare && chmod +x bare # without what is installed
echo 'python_interpreter: ./bare' >>assay.yaml
PYTHONPATH= assay fuzz --kernel torch:math --problem attention/fp32/b1/h1/s2/d2 2>&1
echo "exit $?"

# OpenMP's threads of a Python kernel get the processors that assay's own are pinned to, unless the user has placed them
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
cat >kern/places.py <<'P'
import os

import kern.plain as plain

PLACES = os.environ.get("OMP_PLACES", "")  # as a library sees it that is loaded now


def forward(problem, inputs, outputs, stream):
    plain.forward(problem, inputs, outputs, stream)
    mine = sorted(os.sched_getaffinity(0))
    said = "first" if PLACES.startswith("{%d}" % mine[0]) and len(mine) == 1 else "not pinned" if len(mine) > 1 else "elsewhere"
    enough = len(PLACES.split(",")) >= problem.threads
    print("bound:", os.environ.get("OMP_PROC_BIND"), said if enough else "too few", PLACES if PLACES == "cores" else "")
P
run() { assay fuzz --isolation "$1" --kernel kern.places:forward --problem attention/fp32/b1/h1/s2/d2 --verbose 2>said | grep '^1/1'
    grep -o 'bound:.*' said | tail -1; }
unset OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY KMP_AFFINITY
run none
OMP_PLACES=cores run none
run process
OMP_PLACES=cores run process

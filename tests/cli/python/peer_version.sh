# A peer is named with the version of the library that ran, here of stand-ins; another one than the one asked for is an error before
# anything is timed. --device asks for the versions that are there.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/python/_fake
one="--problem attention/fp32/b1/h1/s2/d4"
run() { report_of "$@" 2>&1 | grep -v results:; echo "exit ${PIPESTATUS[0]}"; }
run fuzz --kernel torch:math $one
run fuzz --kernel torch:math@0 $one
run fuzz --kernel plain --oracle torch@0.0 $one
run fuzz --kernel torch:math@0.1 $one
run bench --kernel plain --vs torch@2.11 $one --iters 5 | grep -v '^note:'
# What was refused is not kept: the run goes on with the library that was asked for.
FAKE_TORCH_VERSION=2.11.0+fake report_of bench --resume last 2>&1 | grep -oE 'torch@[0-9.]+' | sort -u
named() { grep -oE 'torch:math(@[0-9.a-z]*)?' | sort -u; }
FAKE_TORCH_VERSION="" run bench --kernel plain --vs torch:math@0 $one --iters 5 | grep -v '^note:'
FAKE_TORCH_VERSION="" run bench --kernel plain --vs torch:math $one --iters 5 | named
FAKE_TORCH_VERSION=2.12.0.dev20261126+fake run bench --kernel plain --vs torch:math@2.12 $one --iters 5 | named
run fuzz --kernel torch@ $one | sed 's|; .*assay.yaml names.*||'
run fuzz --kernel plain@1 $one | sed 's|; .*assay.yaml names.*||; s|? .*assay.yaml names.*|?|'
mkdir -p site/torch-0.0.dist-info && printf 'Metadata-Version: 2.1\nName: torch\nVersion: 0.0+fake\n' >site/torch-0.0.dist-info/METADATA
PYTHONPATH=$PYTHONPATH:$PWD/site assay list peers --device cpu | grep torch
PYTHONPATH=$PYTHONPATH:$PWD/site assay list peers --device cpu --json | grep -c '"version": "0.0"'
assay list peers | grep torch: | head -1

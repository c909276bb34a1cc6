# A resumed run is what was planned: an option that would change what is measured or how it is decided is refused, those of output are not.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
assay gate --device sim:steady --baseline git:HEAD --measure-same --only a --quiet >/dev/null; echo "begun: $?"
try() { assay gate --resume last "$@" 2>&1 | grep -E '^(assay: error|nothing)' | sed -E 's/[0-9]{8}-[0-9]{6}-gate-[0-9a-f]{4}/RUN/'; echo "$*: ${PIPESTATUS[0]}"; }
try --regression 50
try --improvement=90 --quiet
try --rounds 7
try --iters 3
try --candidate fast
try --seed 7
try --only a
try --device sim:busy
try --device sim:steady --quiet --accept known --output again.json

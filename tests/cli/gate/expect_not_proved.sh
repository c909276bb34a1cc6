# A claim that the measurement does not bear out fails the gate, although nothing got worse.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sim_gate --measure-same --expect improvement

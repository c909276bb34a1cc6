# A machine that was never fit has not put the claim to the test: 3, not 1. One that was fit and shows no gain: 1.
report_of gate --device sim:hot --candidate sim_faster15 --baseline sim --only p0 --expect improvement >hot; echo "unfit: $?"
report_of gate --device sim:steady --candidate sim_slower3 --baseline sim --only p0 --expect improvement >steady; echo "fit: $?"

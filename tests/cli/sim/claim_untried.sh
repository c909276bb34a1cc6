# A machine that was never fit has not put the claim to the test: 3, not 1. One that was fit and shows no gain: 1.
assay gate --device sim:hot --candidate sim_faster15 --baseline sim --only p0 --expect improvement --quiet >hot; echo "unfit: $?"
assay gate --device sim:steady --candidate sim_slower3 --baseline sim --only p0 --expect improvement --quiet >steady; echo "fit: $?"

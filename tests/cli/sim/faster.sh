# 15 % faster by its script: an improvement, and what was claimed.
assay gate --device sim:steady --candidate sim_faster15 --baseline sim --expect improvement --quiet

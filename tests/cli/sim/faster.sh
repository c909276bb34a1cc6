# 15 % faster by its script: an improvement, and what was claimed.
report_of gate --device sim:steady --candidate sim_faster15 --baseline sim --expect improvement

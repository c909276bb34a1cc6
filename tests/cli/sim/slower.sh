# slow with sanitizers: sim/other_gate and python/list_peers take its branches
# 5 % slower by its script: a regression on every problem.
report_of gate --device sim:steady --candidate sim_slower5 --baseline sim

# long: clocks that disagree are sampled again
# The device alternates between two clocks. A measurement goes on while the sides' clock probes disagree, and does not count if they never agree.
report_of gate --device sim:two_clocks --candidate sim --baseline sim --measure-same

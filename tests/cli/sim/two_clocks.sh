# Two clocks in turn: the sides' clock probes are apart in most attempts, which are repeated; some never agree.
assay gate --device sim:two_clocks --candidate sim --baseline sim --measure-same --quiet

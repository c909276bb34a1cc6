# long: clocks that never agree are waited for
# The device alternates between two clocks: the sides' clock probes differ in most attempts, which are repeated; some never agree.
assay gate --device sim:two_clocks --candidate sim --baseline sim --measure-same --quiet

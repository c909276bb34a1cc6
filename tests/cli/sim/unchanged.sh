# Identical code, measured, on a steady device: proved unchanged after the first look, in virtual seconds.
assay gate --device sim:steady --candidate sim --baseline sim --measure-same

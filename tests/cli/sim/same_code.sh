# Equal scripts are the same machine code: nothing is measured. No manifest is needed.
assay gate --device sim:steady --candidate sim --baseline sim

: >empty.json; assay compare empty.json empty.json

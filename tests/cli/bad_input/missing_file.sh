assay compare nowhere.json nowhere.json

printf '{"kind": "assay.result", "schema_ver' >cut.json; assay compare cut.json cut.json

printf '{"hello": 1}\n' >foreign.json; assay compare foreign.json foreign.json

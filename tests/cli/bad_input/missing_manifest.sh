assay list --manifest none.yaml

: >assay.yaml; assay list

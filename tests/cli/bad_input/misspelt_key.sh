printf 'version: 1\nkernels: {a: {operator: attention, backend: cpu, source: a.c}}\ngate: {regresion_pct: 3}\n' >assay.yaml; assay list

# Several kernels of one operator and none named: they are measured on that operator's suite.
printf 'version: 1\nkernels: {a: {operator: scale, backend: cpu, source: a.c}, b: {operator: scale, backend: cpu, source: b.c}}\n' >assay.yaml
assay bench --dry-run

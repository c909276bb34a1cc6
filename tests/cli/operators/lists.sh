# Operators that the manifest declares are listed, with kernels, suites and problems of theirs.
cat >assay.yaml <<'Y'
version: 1
kernels: {mine: {operator: rmsnorm, source: mine.c}}
suites: {pr: {problems: {few: {problem: rmsnorm/rows17}, narrow: {problem: rmsnorm/hidden256/eps0.5}}}}
operators:
  rmsnorm:
    axes: {rows: 4096, hidden: 4096}
    inputs: {x: "bf16[rows, hidden]", weight: "bf16[hidden] normal(1, 0.1)", eps: 1e-6}
    outputs: {y: "bf16[rows, hidden]"}
    flops: 4 * rows * hidden
Y
assay list operators
assay list operators --json | grep -A3 '"rmsnorm"'
assay list suites | head -1
assay list problems --suite pr
assay list problems --problem rmsnorm/rows1,rmsnorm/rows2/hidden8
assay list kernels | head -1

# One that passes: two log-sum-exps of narrow inputs are too few to tell half the precision. The place, the figures and what
# to do; --quiet leaves the lines of problems out.
report_of fuzz --audit --seed 7 --problem attention/fp16/b1/h1/sq2/sk128/d64/causal_br/lse

# One problem under two names would be two cases of a result that no reader could tell apart.
assay init >/dev/null
sed -i 's|^  # mine: .*|  mine: {problems: {a: attention/fp32/b1/h1/s16/d16, b: attention/fp32/b1/h1/s16/d16}}|' assay.yaml
assay bench --kernel naive --suite mine

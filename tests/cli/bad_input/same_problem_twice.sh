# One problem under two names is refused: a result would have two cases that no reader could tell apart.
assay init >/dev/null
sed -i 's|^  # large: .*|  mine: {problems: {a: attention/fp32/b1/h1/s16/d16, b: attention/fp32/b1/h1/s16/d16}}|' assay.yaml
assay bench --kernel naive --suite mine

report_of bench --kernel naive --problem attention/fp32/b1/h1/s16/d16 --iters 6 --output good.json; code=$?
[ $code = 0 ] || [ $code = 3 ] || exit 1 # 3: a busy machine; the document is as good
python3 - <<'P'
import json, re
text = open('good.json').read()
new = re.sub(r'("duration_ns": *\[)\s*\d+', r'\g<1>0', text, count=1)
assert new != text
open('bad.json', 'w').write(new)
P
assay compare good.json bad.json

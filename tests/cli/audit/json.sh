# The document of --json, which --output writes too.
assay fuzz --audit --problem scale/fp16/n100 --json --output doc.json >printed || exit 9
cmp doc.json printed && python3 - <<'P'
import json
doc = json.load(open('doc.json'))
print(doc['kind'], doc['exit_code'], doc['problem_count'], doc['counts']['tried'] == doc['counts']['detected'])
case = doc['cases'][0]
print(case['problem'], case['distribution'], case['memory_layout'], case['seed'])
one = {r['wrong_result']: r for r in case['wrong_results']}['factor_twice']
print(one['output'], one['verdict'], one['rule'], one['is_problem'], one['element_count'], one['has_plain'])
P

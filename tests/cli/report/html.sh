# `report --html`: a page that is well-formed and asks for nothing, from a result with markup for names, and one without a decision.
python3 "$ASSAY_SOURCE/tests/cli/report/_made.py"
assay gate --device sim:steady --candidate sim_slower5 --baseline sim --only p0,p1 --quiet --output gate.json >/dev/null; echo "gate $?"
python3 "$ASSAY_SOURCE/tests/pages/made_names.py" gate.json 9 names.json
cat >look.py <<'P'
import base64, hashlib, re, sys
import xml.etree.ElementTree as tree
text = open(sys.argv[1], encoding="utf-8").read()
policy = re.search('content="(default-src[^"]*)"', text)[1]
for kind in "style", "script":
    body = re.search(f"<{kind}>(.*?)</{kind}>", text, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
    assert f"{kind}-src 'sha256-{digest}'" in policy, kind
    text = text.replace(body, "")
root = tree.fromstring(text)  # well-formed, names and all
level, levels = 0, [int(e.tag[1]) for e in root.iter() if re.fullmatch("h[1-6]", e.tag)]
for each in levels:
    assert each <= level + 1, levels
    level = each
ids = [e.get("id") for e in root.iter() if e.get("id")]
assert len(ids) == len(set(ids)), "an id twice"
for element in root.iter():
    for name, value in element.items():
        assert not name.startswith("on") and name != "style", (element.tag, name)
        assert name not in ("href", "src") or value.startswith(("#", "data:")), value
    assert not (element.get("href") or "#main").startswith("#") or (element.get("href") or "#main")[1:] in ids, element.get("href")
print(sys.argv[1], root.find("head/title").text[:40], "|", len(root.findall(".//details[@class='problem']")), "problems,",
      text.count('class="curve'), "densities,", "one script" if len(root.findall(".//script")) == 1 else "scripts", levels.count(1), "h1")
P
for name in made gate names; do
    assay report $name.json --html --output $name.html; python3 look.py $name.html
done
assay report gate.json --format html | cmp - gate.html && ls runs/*/report.html | wc -l
cmp gate.html runs/*gate*/report.html && echo "the page of the run is the same"
assay report gate.json --html --format json 2>&1; echo "code $?"
assay report gate.json --html --samples 2>&1; echo "code $?"

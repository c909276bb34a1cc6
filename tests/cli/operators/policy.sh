# slow: policy/suite and operators/fuzz take its branches
# Against a revision the baseline's declaration, reference and tolerance decide; the record says what differs.
. "$ASSAY_SOURCE/tests/cli/operators/_declared.sh"
quick="--baseline git:HEAD --rounds 5 --iters 5 --sample-time 0.1ms"
try() { # what changes; further arguments
    # shellcheck disable=SC2086
    assay gate $quick --json "${@:2}" >result.json 2>err
    echo "$1: exit $?"; sed -n 's,/[^ ]*/trees/[^/]*/,TREE/,; s/^assay: error: /  /p' err
    python3 - <<'P'
import json
try: result = json.load(open("result.json"))
except ValueError: raise SystemExit
policy = result.get("policy") or {}
for change in policy.get("changes", []):
    if change["setting"].startswith(("operators", "tolerance")): print("  differs:", change["setting"], "used the baseline's" if change.get("used") == change.get("baseline") else change)
checks = [check for case in result["checks"] for check in case["checks"] if result["sides"][check["side"]]["role"] == "candidate"]
print("  candidate:", sum(check["outcome"] == "OK" for check in checks), "of", len(checks), "pass")
P
    rm -rf runs; git checkout -q .
}
declare_twice 'suites: {few: {problems: {a: twice/n5, b: twice/n64}}}
gate: {suite: few, check: few, candidate: mine}'
printf 'runs/\nresult.json\nerr\n' >.gitignore
git init -q -b main . && git config user.email t@example.org && git config user.name tester && git add -A && git commit -qm first

wrong='for (int i = 0; i < n; ++i) y[i] = 3 * x[i];'
kernel "$wrong"; reference 'for (int64_t i = 0; i < n; ++i) y[i] = 3 * x[i];'
try 'the reference, a problem named' --problem twice/n33 --check few
kernel "$wrong"; sed -i 's,reference: reference.c,reference: other.c,; s/n: 1000/n: 999/' assay.yaml; cp reference.c other.c
try 'the declaration'
kernel 'for (int i = 0; i < n; ++i) y[i] = n % 2 ? 0 : 2 * x[i];'; sed -i 's/axes: {n: 1000}/&, where: ["n % 2 == 0"]/; s/a: twice.n5, //' assay.yaml
try 'where'
kernel 'for (int i = 0; i < n; ++i) y[i] = 2.5f * x[i];'; sed -i 's/"twice(x, y, int n)"/&, tolerance: {rtol: 0.5, atol: 1, why: wide}/' assay.yaml
try 'the tolerance'
kernel "$wrong" && sed 's/twice/thrice/; s/2 \* x/3 * x/' reference.c >thrice.c && sed -i 's/^operators: {/&thrice: {axes: {n: 77}, inputs: {x: "fp32[n]"}, outputs: {y: "fp32[n]"}, reference: thrice.c}, /
s/^kernels: {/&other: {operator: thrice, source: mine.c, call: "twice(x, y, int n)"}, /' assay.yaml
try 'a new operator' --candidate other --problem thrice/n9 --check thrice_boundary

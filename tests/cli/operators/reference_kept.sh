# SPDX-License-Identifier: Apache-2.0
# Results of a reference in Python are kept (by a referee, and by a run that is resumed) as long as nothing that it depends on changes.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
. "$ASSAY_SOURCE/tests/cli/operators/_declared.sh"
mkdir ops site-packages site-packages/{thing,thing-1.0.dist-info} cache
export XDG_CACHE_HOME=$PWD/cache PYTHONPATH=$PWD/site-packages
declare_twice
sed -i 's/reference: reference.c/reference: ops\/twice.py/' assay.yaml
echo 'import thing' >ops/deeper.py
echo 'def scale(): import deeper; return 2.0' >ops/helper.py
touch site-packages/thing/__init__.py ops/beside.py
cat >ops/twice.py <<'P'
def reference(x, y):
    from helper import scale
    given, made = (tensor.memory().cast("d" if tensor.dtype == "fp64" else "f") for tensor in (x, y))
    for i, value in enumerate(given):
        made[i] = scale() * value
P
left=$((3600 - $(date +%s) % 3600))
[ $left -gt 60 ] || sleep $left # they are kept for an hour
files() { find cache -name '*.ref' -printf '%f %T@\n' | sort; }
try() {
    before=$(files)
    assay referee twice mine.c --rounds 0 --problem twice/n5 --seed 7 --json >out 2>err || cat out err
    after=$(files)
    echo "$1: $([ "$before" = "$after" ] && echo kept || echo "computed") ($(wc -l <<<"$after"))"
}
try 'the first time'
echo '# no import of the reference' >>ops/beside.py; try 'a module beside it'
echo '#' >>ops/deeper.py;                              try 'a module that one imports that it imports'
mv site-packages/thing-{1.0,1.1}.dist-info;            try "a package's version"
echo '#' >>ops/twice.py;                               try 'its file'

set -m
assay bench --kernel mine --problem twice/n5 --iters 5 --rounds 500 --quiet >out 2>&1 &
set +m
for _ in $(seq 400); do
    grep -q '"kind":"samples"' runs/*/journal.jsonl 2>/dev/null && break
    sleep 0.05
done
kill -INT $!; wait $!; echo "interrupted: $?"
echo '#' >>ops/helper.py
assay bench --resume last 2>&1; echo "resumed: $?"

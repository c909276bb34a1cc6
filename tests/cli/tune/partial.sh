# A variant that does not take one problem of the suite: it is measured on the others, is in no elite, and the dispatch table has it for
# exactly the problems on which it is the fastest; never for the one that it refuses, nor for one that nobody measured.
. "$ASSAY_SOURCE/tests/cli/tune/_manifest.sh"
manifest "values: {A: [1, 2, 3, 4]}, effects: [
    {when: {A: 2}, sim: {slower_pct: -10}},
    {when: {A: 3}, sim: {slower_pct: -40, unsupported_on: scale/fp32/n256}},
    {when: {A: 4}, sim: {slower_pct: -45, unsupported_on: scale/fp32/n64, skips_work_at_launch: 30}}]" \
    "a: scale/fp32/n64, b: scale/fp32/n128, c: scale/fp32/n256, d: scale/fp32/n512"
say() {
    /usr/bin/python3 -c '
import json, sys
record = json.load(open(sys.argv[1]))
for v in record["variants"]: print(v["config"], v["fate"], v.get("unsupported_count", 0), v.get("reason"), "%.1f" % v.get("speedup", 0))
print([(f["config"], f["rank"], f.get("unsupported_count", 0), "%.1f" % f.get("speedup", 0)) for f in record["finalists"]])
print([(c["problem"], c.get("config", "as before")) for c in record["choices"]])' "$1"
}
assay tune --kernel mine --device sim:promise --suite pr --strategy exhaustive --quiet --emit mine.h --output tune.json >/dev/null; echo "exit $?"
say tune.json
sed -n '/^static const .* mine_ranges/,/^};/p' mine.h | grep -B1 measured
cat >main.c <<'C'
#include "mine.h"
#include <stdio.h>
int main(void) {
    static const long long sizes[] = {64, 100, 128, 130, 256, 512, 600};
    for (int i = 0; i < 7; ++i) {
        int is_measured;
        const char *config = mine_choose("scale/fp32/n*", &sizes[i], &is_measured);
        printf("%lld: %s%s\n", sizes[i], config ? config : "as before", is_measured ? "" : ", not measured");
    }
    return 0;
}
C
cc -std=c11 -Wall -Wextra -Werror -o main main.c && ./main
assay report last --format log | grep '^| A=[34]'
# Killed in the heat and in the final, it is resumed with the same end.
rm runs/2*/final/result.json; for journal in runs/2*/{heat-001,final}/journal.jsonl; do
    head -c $(($(stat -c %s "$journal") / 2)) "$journal" >half && mv half "$journal"
done
assay tune --kernel mine --device sim:promise --suite pr --strategy exhaustive --quiet --resume last --output again.json >/dev/null; echo "exit $?"
say again.json | tail -1
# Alone in its heat, and alone in a trial.
assay tune --kernel mine --device sim:promise --suite pr --try A=3 --output try.json | grep '^A=3' | sed 's/([0-9. to]*)/(...)/'; say try.json | tail -2
sed -i 's/values: {A: \[1, 2, 3, 4\]}/values: {A: [1, 3]}/' assay.yaml
assay tune --kernel mine --device sim:promise --suite pr --strategy exhaustive --quiet --output alone.json >/dev/null; echo "exit $?"
say alone.json
# Nothing but refusals.
sed -i 's/, b: .*n512/ /; s/unsupported_on: scale.fp32.n256/unsupported_on: scale\/fp32\/n64/' assay.yaml
assay tune --kernel mine --device sim:promise --suite pr --strategy exhaustive --quiet --output none.json >/dev/null; echo "exit $?"
say none.json

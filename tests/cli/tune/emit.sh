# The dispatch table: compiled by itself as C, it chooses by problem, falls to the nearest, and knows what was measured. Without an
# elite there is none.
. "$ASSAY_SOURCE/tests/cli/tune/_manifest.sh"
manifest "values: {A: [1, 2, 3]}, effects: [
    {when: {A: 2}, sim: {slower_pct: -20}},
    {when: {A: 3}, sim: {slower_pct: -50, slower_on: scale/fp32/n256}}]" "a: scale/fp32/n64, b: scale/fp32/n128, c: scale/fp32/n256"
assay tune --kernel mine --device sim:steady --suite pr --quiet --emit mine.h --output tune.json >/dev/null; echo "exit $?"
cat >main.c <<'C'
#include "mine.h"
#include <stdio.h>
static void say(const char *kind, long long n) {
    int is_measured;
    const char *config = mine_choose(kind, &n, &is_measured);
    printf("%s %lld: %s%s\n", kind, n, config ? config : "as before", is_measured ? "" : ", not measured");
}
int main(void) {
    static const long long sizes[] = {1, 64, 100, 128, 150, 256, 100000};
    for (int i = 0; i < 7; ++i) say("scale/fp32/n*", sizes[i]);
    say("scale/fp16/n*", 64);
}
C
cc -std=c11 -Wall -Wextra -Werror -o main main.c && ./main
grep -c "^//   scale/fp32/n" mine.h
grep -q "$(basename runs/2*)" mine.h && echo "the run is named"
assay tune --kernel mine --device sim:steady --suite pr --try A=1 --quiet --emit none.h >/dev/null; echo "exit $?"; [ -e none.h ] || echo "no elite, no table"

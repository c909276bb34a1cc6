# slow: operators/fuzz, sim/lying_host and unit/test_declared_precision take its branches
# Kernels of a declared operator that do less when timed, or on inputs that they have not seen: none passes a bench or a gate.
. "$ASSAY_SOURCE/tests/cli/operators/_declared.sh"
declare_twice 'suites: {few: {problems: {a: twice/n5}}}'
printf 'runs/\nout\n' >.gitignore
git init -q -b main . && git config user.email t@example.org && git config user.name tester && git add -A && git commit -qm first
quick=(--problem twice/n1000 --iters 20 --sample-time 0.2ms)
try() { # what it does; its statements
    kernel "$2" 'static long launches;
static float without(float value, uint32_t bits) { uint32_t all; memcpy(&all, &value, 4); all &= ~bits; memcpy(&value, &all, 4); return value; }
static uint32_t known[65536];
static int is_new(const float *x, int learns) {
    uint32_t first;
    memcpy(&first, x, 4);
    uint32_t at = first * 2654435761u >> 16;
    for (; known[at] && known[at] != first; at = (at + 1) % 65536) {}
    const int ret = known[at] != first;
    if (learns) known[at] = first;
    return ret;
}'
    assay bench --kernel mine --isolation process --rounds 2 "${quick[@]}" >out 2>&1; code=$?
    [ "$code" = 3 ] && code=0 # right, and the machine was busy
    echo "$1: $code, $(grep -c '^  FAIL' out) refused"
}
right='for (int i = 0; i < n; ++i) y[i] = 2 * x[i];'
try 'is honest' "++launches; is_new(x, 1); for (int i = 0; i < n; ++i) y[i] = without(2 * x[i], 0);"
try 'zeros after 100 launches' "if (++launches > 100) memset(y, 0, 4000); else $right"
try 'half of it after 100 launches' "if (++launches > 100) n /= 2; $right"
try 'half of it' "n /= 2; $right"
try 'the first results' "static float kept[1000]; if (!launches++) for (int i = 0; i < n; ++i) kept[i] = 2 * x[i]; memcpy(y, kept, 4000);"
# Of as many addresses as a sample has sets at most: what remembers fewer is right in most launches, and found by chance.
try 'the first results at an address' "static const float *at[512]; static float kept[512][1000]; int k = 0;
    if (++launches < 100) { $right return; }
    while (k < 511 && at[k] && at[k] != x) ++k;
    for (int i = 0; i < n && at[k] != x; ++i) kept[k][i] = 2 * x[i];
    at[k] = x; memcpy(y, kept[k], 4000);"
try 'zeros at the third address' "static const float *at[64]; int k = 0;
    while (k < 63 && at[k] && at[k] != x) ++k;
    at[k] = x; if (k >= 2) memset(y, 0, 4000); else $right"
try 'bf16 after 1000 launches' "++launches; for (int i = 0; i < n; ++i) y[i] = without(2 * x[i], launches > 1000 ? 0xffff : 0);"
lasting='const int is_seen = ++launches < 1000 || !is_new(x, 0); if (launches < 1000) is_new(x, 1);'
try 'less precise on new inputs' "$lasting for (int i = 0; i < n; ++i) y[i] = without(2 * x[i], is_seen ? 0 : 0xff);"
try 'one element less on new inputs' "$lasting $right if (!is_seen) y[n - 1] = 0;"
assay gate --candidate mine --baseline git:HEAD --rounds 5 "${quick[@]}" --check few >out 2>&1; echo "a gate of it: $?"

# long: operators/examples, unit/test_declared_rules and unit/test_result_rules take its branches
# What the text of a result says is right: steps of its type, picks, elements that are used. Each with honest kernels of another
# kind than the reference, and with wrong ones.
cat >assay.yaml <<'Y'
version: 1
operators:
  quantize:
    axes: {rows: 8, columns: 1024}
    inputs: {x: "fp32[rows, columns]"}
    outputs: {q: "int8[rows, columns] steps(1)", scale: "fp32[rows]"}
    reference: right.c
    reference_call: "quantize_reference(x, q, scale, int rows, int columns)"
  narrow:
    axes: {rows: 8, columns: 1024}
    inputs: {x: "fp32[rows, columns]"}
    outputs: {y: "fp8_e5m2[rows, columns]"}
    reference: right.c
    reference_call: "narrow_reference(x, y, int rows, int columns)"
  largest:
    axes: {rows: 4, columns: 100, k: 5}
    where: ["k < columns"]
    inputs: {x: "fp32[rows, columns] exact"}
    outputs: {values: "fp32[rows, k]", indices: "int32[rows, k] picks(x, values)"}
    reference: right.c
    reference_call: "largest_reference(x, values, indices, int rows, int columns, int k)"
  select:
    axes: {n: 1000}
    inputs: {x: "fp32[n]"}
    outputs: {places: "int32[n] used(count)", kept: "fp32[n] used(count)", count: "int32[]"}
    reference: right.c
    reference_call: "select_reference(x, places, kept, count, int n)"
  pad:
    axes: {rows: 8, columns: 100}
    inputs: {x: "fp32[rows, columns]", lengths: "int32[rows] lengths(columns)"}
    outputs: {y: "fp32[rows, columns] used(lengths)"}
    reference: right.c
    reference_call: "pad_reference(x, lengths, y, int rows, int columns)"
Y
cat >right.c <<'C'
#include <math.h>
void quantize_reference(const double *x, double *q, double *scale, int rows, int columns) {
    for (int r = 0; r < rows; ++r, x += columns, q += columns) {
        double largest = 0;
        for (int i = 0; i < columns; ++i) largest = fmax(largest, fabs(x[i]));
        scale[r] = largest > 0 ? largest / 127 : 1;
        for (int i = 0; i < columns; ++i) q[i] = x[i] / scale[r];
    }
}
void narrow_reference(const double *x, double *y, int rows, int columns) {
    for (int i = 0; i < rows * columns; ++i) y[i] = 3 * x[i];
}
void largest_reference(const double *x, double *values, int *indices, int rows, int columns, int k) {
    for (int r = 0; r < rows; ++r, x += columns, values += k, indices += k)
        for (int j = 0; j < k; ++j) {
            int best = -1;
            for (int i = 0; i < columns; ++i) {
                int is_taken = 0;
                for (int t = 0; t < j; ++t) is_taken |= indices[t] == i;
                if (!is_taken && (best < 0 || x[i] > x[best])) best = i;
            }
            values[j] = x[indices[j] = best];
        }
}
void select_reference(const double *x, int *places, double *kept, int *count, int n) {
    *count = 0;
    for (int i = 0; i < n; ++i)
        if (x[i] > 0) places[*count] = i, kept[(*count)++] = x[i];
}
void pad_reference(const double *x, const int *lengths, double *y, int rows, int columns) {
    for (int r = 0; r < rows; ++r)
        for (int i = 0; i < lengths[r]; ++i) y[r * columns + i] = 2 * x[r * columns + i];
}
C
cp assay.yaml declared.yaml
add() { # its name, operator, call and body
    printf '#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\nint n_launches;\nvoid f(%s) {\n%s\n}\n' "$3" "$5" >"$1.c"
    echo "  $1: {operator: $2, source: $1.c, call: \"f($4)\"}" >>assay.yaml
    names+=("$1:$2")
}
try() { # problem; more options
    for pair in "${names[@]}"; do
        # shellcheck disable=SC2086
        assay fuzz --kernel "${pair%:*}" --problem "${pair#*:}/${1-default}" ${2-} --seed 1 >out 2>&1
        echo "${pair%:*}: $? $(grep -m1 -E "^ +'|^ +the kernel|^ +right for|^ +[0-9]+ of|error:" out | sed "s/^ *//; s/^\('values'\).*/\1 holds what another index picks/
            s/^\('[qy]'\).*: \([0-9] steps* of [a-z0-9_]* off\), .*/\1 \2/")" # a later launch, on fresh data, may be the one that shows it
    done
    names=()
}
echo kernels: >>assay.yaml
names=()

echo "== steps"
quantize() { # name; statement on q[i], c and r, i behind rounding by roundf, with a factor in place of a division
    add "$1" quantize "const float *x, int8_t *q, float *scale, int rows, int columns" "x, q, scale, int rows, int columns" "
    for (int r = 0; r < rows; ++r, x += columns, q += columns) {
        float largest = 0;
        for (int i = 0; i < columns; ++i) largest = fmaxf(largest, fabsf(x[i]));
        scale[r] = largest > 0 ? largest / 127 : 1;
        const float factor = 1 / scale[r];
        for (int i = 0; i < columns; ++i) { q[i] = (int8_t)roundf(x[i] * factor); const int c = q[i] < 0 ? 1 : -1; (void)c; $2 }
    }"
}
quantize honest ''
quantize one_in_1024 'if (i == 77) q[i] += c;'
quantize one_in_512 'if (i % 512 == 77) q[i] += c;'
quantize one_row 'if (r == 3) q[i] += c;'
quantize half_a_percent_of_a_row 'if (r == 3 && i % 200 == 0) q[i] += c;'
quantize two_percent_of_a_row 'if (r == 3 && i % 50 == 0) q[i] += c;'
quantize two_steps 'if (r == 3 && i == 77) q[i] += 2 * c;'
quantize truncated 'q[i] = (int8_t)(x[i] * factor);'
try
echo "== steps at halves: 2 of 4 is 63.5"
quantize honest_exact ''
try default '--distribution exact'
narrow() {
    add "$1" narrow "const float *x, uint8_t *y, int rows, int columns" "x, y, int rows, int columns" "
    for (int i = 0; i < rows * columns; ++i) {
        _Float16 wide = 3 * x[i]; uint16_t bits; memcpy(&bits, &wide, 2);
        $2
    }"
}
narrow fp8_twice_rounded 'y[i] = (uint8_t)((bits + 0x7f + (bits >> 8 & 1)) >> 8);'
narrow fp8_cut 'y[i] = (uint8_t)(bits >> 8);'
try
sed -i 's/fp8_e5m2\[rows, columns\]/& steps(1, 0.01)/' assay.yaml
narrow fp8_share 'y[i] = (uint8_t)((bits + 0x7f + (bits >> 8 & 1)) >> 8);'
narrow fp8_cut_share 'y[i] = (uint8_t)(bits >> 8);'
try

echo "== picks"
largest() { # name; statement behind the last places of equal ones
    add "$1" largest "const float *x, float *values, int *indices, int rows, int columns, int k" "x, values, indices, int rows, int columns, int k" "
    for (int r = 0; r < rows; ++r, x += columns, values += k, indices += k) {
        for (int j = 0; j < k; ++j) {
            int best = -1;
            for (int i = 0; i < columns; ++i) {
                int is_taken = 0;
                for (int t = 0; t < j; ++t) is_taken |= indices[t] == i;
                if (!is_taken && (best < 0 || x[i] >= x[best])) best = i;
            }
            values[j] = x[indices[j] = best];
        }
        $2
    }"
}
largest last_of_equals ''
largest twice 'indices[1] = indices[0];'
largest outside 'if (r == 2) indices[3] = columns;'
largest negative 'if (r == 2) indices[3] = -1;'
largest smallest 'if (r == 1) for (int i = 0; i < columns; ++i) if (x[i] == -4) indices[2] = i;'
largest swapped 'if (r == 1) { const int last = indices[k - 1]; indices[k - 1] = indices[0]; indices[0] = last; }'
try k40
echo "== used"
selected() { # name; statement; what is not written
    add "$1" select "const float *x, int *places, float *kept, int *count, int n" "x, places, kept, count, int n" "
    int c = 0;
    for (int i = 0; i < n; ++i) if (x[i] > 0) { if (!(${3-0})) kept[c] = x[i]; places[c++] = i; }
    *count = c; ++n_launches;
    $2"
}
selected only_used ''
selected garbage_behind 'for (int i = c; i < n; ++i) places[i] = rand(), kept[i] = NAN;'
selected one_less '*count = c - 1;'
selected one_more '*count = c + 1;'
selected none '*count = 0;'
selected no_count '*count = -1;'
selected one_missing '' 'c == 1'
selected wrong_place 'places[c - 1] = 0;'
selected beyond 'kept[n] = 0;'
try
padded() { add "$1" pad "const float *x, const int *lengths, float *y, int rows, int columns" "x, lengths, y, int rows, int columns" "
    for (int r = 0; r < rows; ++r) for (int i = 0; i < $2; ++i) y[r * columns + i] = 2 * x[r * columns + i];"; }
padded by_lengths 'lengths[r]'
padded all_of_it 'columns'
padded short_by_one 'lengths[r] - (r == 7)'
try
echo "== measured"
selected later 'if (n_launches > 300) kept[0] = 0;'
for kernel in only_used garbage_behind later; do
    assay bench --kernel $kernel --isolation process --rounds 2 --problem select/default --iters 20 --sample-time 0.2ms >out 2>&1
    echo "$kernel: $(sed 's/3/0/' <<<$?) $(grep -c '^  FAIL' out) refused"
done
echo "== mistakes"
mistake() { # what is replaced, by what
    sed "s/$1/$2/" declared.yaml >assay.yaml
    assay list operators 2>&1 | grep -o 'tensor .*'
}
mistake 'steps(1)' 'step(1)'
mistake 'steps(1)' steps
mistake 'steps(1)' 'steps(half)'
mistake 'steps(1)' 'steps(1, half)'
mistake 'fp32\[rows\]"' 'fp32[rows] steps(1)"'
mistake 'exact"' 'exact picks(x)"'
mistake 'picks(x, values)' 'picks(y)'
mistake 'picks(x, values)' 'picks(values)'
mistake 'picks(x, values)' 'picks(x, x)'
mistake 'picks(x, values)' 'picks(indices)'
mistake 'int32\[rows, k\] picks' 'fp32[rows, k] picks'
mistake 'int32\[rows, k\] picks(x, values)' 'int32[k] picks(x)'
mistake 'places: "int32\[n\] used(count)"' 'places: "int32[n] used(counts)"'
mistake 'places: "int32\[n\] used(count)"' 'places: "int32[n] used(kept)"'
mistake 'count: "int32\[\]"' 'count: "int32[2]"'
mistake 'used(lengths)' 'used(lengths) ones'

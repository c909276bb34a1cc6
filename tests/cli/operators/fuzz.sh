# An honest kernel of a declared operator passes; a bug is found and made smaller, and the line that repeats it does.
. "$ASSAY_SOURCE/tests/cli/operators/_declared.sh"
declare_twice
report_of fuzz --kernel mine --problem twice/n33 | sed "/^results/d"; echo "honest: ${PIPESTATUS[0]}"
kernel 'for (int i = 0; i < n; ++i) y[i] = n > 16 && i == n - 1 ? x[i] : 2 * x[i];'
report_of fuzz --kernel mine --problem twice/n33 >out; echo "bug: $?"
sed '/^$/d; s,runs/.*,RUN,' out
repeat=$(sed -n 's/^  repeat: assay //p' out)
# shellcheck disable=SC2086
assay $repeat >again; echo "again: $? $(grep -cF "$(sed -n "s/^  \('y'.*\)/\1/p" out)" again)"

# --failures-only: no lines for problems that passed or are not supported; in a report how many they are.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
sed -i 's/^ *cpu->parallel_for(cpu, job.q->shape\[0\] .*/&\n    if (job.q->shape[2] % 64) ((float *)job.o->data)[0] += 1;/' csrc/mine.c
sed -i 's|^suites:|suites:\n  some: {problems: {even: attention/fp32/b1/h2/s64/d16, half: attention/fp16/b1/h2/s64/d16, odd: attention/fp32/b1/h2/s65/d16}}|' assay.yaml
assay fuzz --kernel mine --suite some --failures-only >out; echo "exit $?"
grep -E '^\[|^[0-9]+/' out
assay gate --candidate sim_slower5 --baseline sim --device sim:promise --failures-only >all; echo "exit $?"
grep -cE ' regression' all
assay gate --candidate sim --baseline sim --measure-same --device sim:promise --failures-only >all; echo "exit $?"
grep -E 'not shown|^problem' all
assay report last --failures-only --format markdown | grep 'not shown'
assay report last --failures-only --format log | grep 'not shown'
for words in --samples --roofline --json --html "--format summary" "--format csv" "--format junit" "--format svg"; do
    # shellcheck disable=SC2086
    assay report last --failures-only $words >refused 2>&1; echo "$words: exit $?, $(grep -c 'leaves rows out' refused)"
done

# slow with sanitizers
# compare --explain profiles both kernels where their modules are, names the cause of a page that shows bank conflicts, and says in one
# line why nothing is counted; the exit code is that of compare without it.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
cp "$kernel" slow.so && echo "other bytes" >>slow.so
bench() { report_of bench --device cuda:0 --module "$1" --problem attention/fp32/b1/h2/s96/d32 --iters 30 --output "$2" >bench.txt || cat bench.txt; }
bench "$kernel" base.json
bench slow.so fast.json
/usr/bin/python3 - "$ASSAY_SOURCE/tests/golden/nsight/sm90_s512.raw.csv" <<'P'
import csv, json, sys
cand = json.load(open("fast.json"))
for case in cand["cases"]:
    for measured in case["rounds"]:
        for samples in measured["samples"]:
            samples["duration_ns"] = [round(1.4 * t) for t in samples["duration_ns"]]
json.dump(cand, open("cand.json", "w"))
rows = list(csv.reader(open(sys.argv[1])))
def put(name, value): rows[2][rows[0].index(name)] = str(value)
put("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 2500000)
put("smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", 2.5)
put("smsp__average_warp_latency_per_inst_issued.ratio", 9.95)
csv.writer(open("conflicts.csv", "w"), quoting=csv.QUOTE_ALL).writerows(rows)
P
mkdir bin
cat >bin/ncu <<'N'
#!/bin/bash
case $* in
    *--import*candidate*) cat conflicts.csv ;;
    *--import*) cat "$ASSAY_SOURCE/tests/golden/nsight/sm90_s512.raw.csv" ;;
    *) printf '%s\n' "$*" >>ncu.words; echo "${NCU_SAYS:-==PROF== Disconnected}"; exit ${NCU_CODE:-0} ;;
esac
N
chmod +x bin/ncu
export PATH=$PWD/bin:$PATH ASSAY_CUPTI=none.so
compare() { assay compare "$@" --allow-different threads; }
compare base.json cand.json >plain.txt; plain=$?
[ $plain = 1 ] || complain "40 % slower is $plain"
ends_with $plain compare base.json cand.json --explain
says "counted by Nsight Compute"
grep -A1 "What moved on" out | grep -q "^.*more bank conflicts in shared memory (bank_conflict_pct 0.1571 -> 72.13)" || { complain "conflicts are not first"; cat out; }
[ "$(grep -oE -- '--module [^ ]*module.so.*--seed [0-9]+' ncu.words | sort -u | wc -l)" = 2 ] || { complain "not both modules are profiled"; cat ncu.words; }
[ -e runs/ncu_attention_fp32_b1_h2_s96_d32.csv ] && complain "an explanation leaves a copy in runs/"
ends_with $plain compare base.json cand.json --explain --json
says '"explanation": {'
says '"sentence": "more bank conflicts in shared memory"'
# What is counted has the inputs that were timed.
for file in base cand; do sed 's/"distribution": "normal"/"distribution": "mixed"/' $file.json >mixed_$file.json; done
ends_with $plain compare mixed_base.json mixed_cand.json --explain
says "counted by Nsight Compute"
[ "$(grep -c -- '--distribution mixed' ncu.words)" = 2 ] || { complain "the inputs of the distribution are not what is counted"; cat ncu.words; }
mv bin/ncu bin/ncu.off
if ! [ -e /usr/local/cuda/bin/ncu ]; then # Nsight Compute is not there: the counters of the kernel's own process
    ASSAY_CUPTI=$fakes/libfake_cupti.so ends_with $plain compare base.json cand.json --explain
    says "counted by CUPTI"
fi
mv bin/ncu.off bin/ncu
export NCU_SAYS="==ERROR== ERR_NVGPUCTRPERM - The user does not have permission" NCU_CODE=1
ends_with $plain compare base.json cand.json --explain
says "no counters: Nsight Compute counted nothing: the driver lets only administrators count"
[ "$(grep -c 'no counters' out)" = 1 ] || complain "not one line"
ends_with 0 compare base.json base.json --explain --tie proven
says "both sides are the same machine code"
sed 's/"host": "[^"]*"/"host": "elsewhere"/' cand.json >moved.json
ends_with $plain compare base.json moved.json --explain
says "no counters: the candidate was measured on 'elsewhere': explain it there"
sed 's/"host": "[^"]*", //' cand.json >nowhere.json
ends_with $plain compare base.json nowhere.json --explain
says "no counters: the candidate's file does not say where it was measured"
rm -r "$XDG_CACHE_HOME/assay/modules"
ends_with $plain compare base.json cand.json --explain
says "module"
says "is not there any more, or another one"
exit $failed

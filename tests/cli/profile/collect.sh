# A kernel is profiled through ncu, by a stand-in that plays a recorded report; no profiler, no permission, no launch: 69, with a remedy.
export XDG_CACHE_HOME=$PWD/cache # which has no ceilings
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
mkdir bin
cat >bin/ncu <<'N'
#!/bin/bash
# Plays NCU_PLAYS. Without --import it says how it was called.
case $* in
    *--import*) cat "$NCU_PLAYS" ;;
    *) printf '%s\n' "$@" >ncu.words; [ "$NCU_FAILS" ] || { echo "==PROF== Disconnected"; exit 0; }; echo "$NCU_FAILS"; exit "${NCU_CODE:-1}" ;;
esac
N
chmod +x bin/ncu
export PATH=$PWD/bin:$PATH NCU_PLAYS=$ASSAY_SOURCE/tests/golden/nsight/sm90_s512.raw.csv NCU_FAILS=
case="--device cuda:0 --module $kernel --problem attention/fp32/b1/h2/s96/d32"
ends_with 0 assay profile $case
says "Bottleneck: compute_bound"
says "1. raise tensor pipe activity, up to 1.42 x"
name=attention_fp32_b1_h2_s96_d32
for file in artifacts/ncu/$name.{csv,log,txt,json} runs/ncu_$name.{csv,log}; do
    [ -s $file ] || complain "$file is missing"
done
grep -q '"bottleneck": "compute_bound"' artifacts/ncu/$name.json || complain "the document has no bottleneck"
tr '\n' ' ' <ncu.words >words
for word in "--clock-control none" "--launch-count 1" "bench --quiet --isolation none" "--problem attention/fp32/b1/h2/s96/d32" "--module $kernel" "--output-dir artifacts/ncu/runs" "--no-store"; do
    grep -qF -- "$word" words || complain "ncu was not given: $word"
done
# The text reads without a window: shape, time, what the specification lists, class, hypotheses, roofline.
for words in "^grid " "^block " "^registers " "^shared memory " "^blocks an SM " "^SM throughput " "^tensor pipe " "^DRAM " "^DRAM rate " "^L2 hits " "^L1 hits " \
    "^occupancy " "^occupancy allowed " "^longest stalls " "^bank conflicts " "^local memory " "^Bottleneck: " "^Hypotheses" "^Roofline of " \
    "a launch in a run without the profiler"; do
    grep -q "$words" artifacts/ncu/$name.txt || complain "the text lacks: $words"
done
grep -q '"time_ns"' artifacts/ncu/$name.json || complain "the document has no time"
# The place in the roofline: the time of a run without the profiler, bytes of the operator and counted ones.
says "Roofline of "
says "counted   compute_bound"
says "no ceilings are stored"
[ -s artifacts/ncu/$name.bench.json ] || complain "no run without the profiler"
ends_with 0 assay profile $case --iters 0
says "Roofline of a device that is not known"
# Inputs of a suite's distributions are what is counted, and stand in the name.
printf 'version: 1\nsuites:\n  data: {problems: {a: attention/fp32/b1/h2/s96/d32}, distributions: [normal, mixed]}\n' >assay.yaml
ends_with 0 assay profile --device cuda:0 --module $kernel --suite data --iters 0
tr '\n' ' ' <ncu.words | grep -q -- "--distribution mixed" || complain "ncu's program was not given the distribution"
grep -q '"problem": "attention/fp32/b1/h2/s96/d32 mixed"' artifacts/ncu/a.mixed.json || complain "the document does not name the distribution"
rm assay.yaml
# Sizes of the environment name the problem, unless an option does.
sizes="assay profile --device cuda:0 --module $kernel --iters 0"
S=96 H=2 D=32 ends_with 0 $sizes --dtype fp32
says "note: attention/fp32/b1/h2/s96/d32, from sizes in the environment"
[ -s artifacts/ncu/attention_fp32_b1_h2_s96_d32.json ] || complain "the environment's problem was not profiled"
S=1024 ends_with 0 assay profile $case --iters 0
says_not "from sizes in the environment"
for wrong in 0 -3 64x '' 99999999999; do
    S=$wrong ends_with 64 $sizes
    says "the environment variable S is '$wrong'"
done
S=96 H=2 D=32 ends_with 0 $sizes --shapes mission
says_not "from sizes in the environment"
ends_with 0 assay profile $case --iters 0 --set quick
grep -q "^gpu__time_duration.sum,[a-z_.,0-9]*$" ncu.words || complain "the list of metrics is not one word with commas"
grep -qxF kernel ncu.words || complain "ncu was not told to repeat the launch"
ends_with 0 assay profile $case --iters 0 --replay application
grep -qxF application ncu.words || complain "ncu was not told to repeat the program"
ends_with 64 assay profile $case --replay range
says "--replay takes kernel or application, not 'range'"
ends_with 0 assay profile $case --json
says '"problem": "attention/fp32/b1/h2/s96/d32"'
NCU_FAILS="==ERROR== ERR_NVGPUCTRPERM - The user does not have permission" ends_with 69 assay profile $case
says "the driver lets only administrators count"
says "artifacts/ncu/$name.log"
NCU_FAILS="==WARNING== No kernels were profiled." NCU_CODE=0 ends_with 69 assay profile $case
says "the filter matched no kernel"
# a metric that the chip lacks costs the others nothing
sed -i 's/^    \*) printf/    *) [ "$NCU_REPORTS" ] \&\& touch artifacts\/ncu\/'$name'.ncu-rep; printf/' bin/ncu
NCU_REPORTS=1 NCU_FAILS="==WARNING== Failed to access the following metrics: x" NCU_CODE=0 ends_with 0 assay profile $case --iters 0
says "Bottleneck: compute_bound"
NCU_FAILS="==WARNING== Failed to access the following metrics: x" NCU_CODE=0 ends_with 69 assay profile $case
says "this chip does not have one of the metrics asked for"
NCU_FAILS="Segmentation fault" NCU_CODE=11 ends_with 69 assay profile $case
says "Nsight Compute"
NCU_PLAYS=$ASSAY_SOURCE/README.md ends_with 65 assay profile $case
says "this is no page of Nsight Compute"
rm bin/ncu
if [ ! -e /usr/local/cuda/bin/ncu ] && ! command -v ncu >/dev/null; then
    ends_with 69 assay profile $case
    says "Nsight Compute is missing"
fi
exit $failed

# Without ncu the process of the kernel counts, through CUPTI (a stand-in): which functions ran, which is explained, every refusal
# with its remedy. On a processor, what it counts. The figures of a page that was written are those of the page that is read.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export ASSAY_CUPTI=$fakes/libfake_cupti.so FAKE_CUPTI=''
[ -e "$ASSAY_CUPTI" ] || { echo "SKIPPED: $ASSAY_CUPTI is not built"; exit 0; }
case="--device cuda:0 --module $kernel --problem attention/fp32/b1/h2/s96/d32 --iters 0 --profiler cupti"
name=artifacts/ncu/attention_fp32_b1_h2_s96_d32
ends_with 0 assay profile $case
says "attention/fp32/b1/h2/s96/d32, by CUPTI"
says "kernel             short_ring"
says "grid               (264, 1, 1)"
says "registers          64 a thread"
says "sectors a request"
for file in $name.{csv,log,txt,json} runs/ncu_${name#artifacts/ncu/}.csv; do [ -e $file ] || complain "$file is missing"; done
assay profile $case >counted
sed -n "/^kernel/,/^  shorter/p" counted >from_device
ends_with 0 assay profile --import $name.csv
sed -n "/^kernel/,/^  shorter/p" out | diff from_device - || complain "the page that was written reads otherwise"
# three functions in order of their start; the longest that is not assay's own is explained
FAKE_CUPTI=functions=3,passes=4 ends_with 0 assay profile $case --set standard
says "short_ring(float*)"
says "us  assay_fill"
says "->     0.3 us  void main<4>(float const*, float*)"
says "kernel             main"
FAKE_CUPTI=functions=3 ends_with 0 assay profile $case --launches regex:ring
says "kernel             short_ring"
FAKE_CUPTI=functions=3 ends_with 69 assay profile $case --launches regex:nothing
says "no device function matches 'regex:nothing'; a launch runs: short_ring(float*), assay_fill, void main<4>"
ends_with 64 assay profile $case --launches 'regex:('
says "is no extended regular expression"
FAKE_CUPTI=lacks=lts__ ends_with 0 assay profile $case
says "this chip does not count: lts__throughput.avg.pct_of_peak_sustained_elapsed, lts__t_sector_hit_rate.pct, lts__t_sectors_lookup_hit.sum, lts__t_sectors_lookup_miss.sum, lts__t_bytes.sum"
# passes are taken five times: one round in which everything is a hundredfold changes no figure, and the clock is doubted
figures() { sed -n "/^kernel/,/^$/p" "$1"; }
for round in 1 3 5; do
    FAKE_CUPTI=outlier=$round,passes=2 ends_with 0 assay profile $case
    diff <(figures counted) <(figures out) || complain "round $round alone made the figures"
    says "the clock differed by 9900.0 % between passes (threshold 10 %)"
done
refused() { # FAKE_CUPTI, words
    FAKE_CUPTI=$1 ends_with 69 assay profile $case
    says "$2"
}
refused fail=availability:35 "run as root or with CAP_SYS_ADMIN, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"
refused fail=start:35 "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
refused fail=enable:26 "another collector holds the counters, such as DCGM"
refused fail=availability:40 "the hypervisor keeps the counters from this virtual machine"
refused fail=availability:41 "confidential computing"
refused fail=config:43 "a MIG slice gives no counters"
refused fail=host:46 "install the CUPTI of a newer CUDA"
refused fail=records:999 "device functions cannot be recorded"
refused fail=decode:999 "the counters cannot be decoded"
refused later=2 "launches run different device functions each time"
refused passes=100000 "the counters need more than 256 passes"
refused functions=0 "a launch ran no device function that CUPTI records"
ASSAY_CUPTI=/no/libcupti.so ends_with 69 assay profile $case
says "the CUPTI of ASSAY_CUPTI cannot be loaded"
ASSAY_CUPTI=$ASSAY_NVML ends_with 69 assay profile $case
says "lacks the function cuptiGetResultString: assay needs the CUPTI of CUDA 12.6 or newer"
# no Nsight Compute, or one that may not count: CUPTI, and the reason is said
mkdir bin
printf '#!/bin/sh\necho "==ERROR== ERR_NVGPUCTRPERM"; exit 1\n' >bin/ncu
chmod +x bin/ncu
PATH=$PWD/bin:$PATH ends_with 0 assay profile ${case% --profiler cupti}
says "by CUPTI"
says "the driver lets only administrators count"
PATH=$PWD/bin:$PATH FAKE_CUPTI=fail=start:35 ends_with 69 assay profile ${case% --profiler cupti}
says "CUPTI did not count either"
# Nsight Compute is told which function of a launch to count: the longest
NCU_PLAYS=$ASSAY_SOURCE/tests/golden/nsight/sm90_s512.raw.csv; export NCU_PLAYS
printf '#!/bin/sh\ncase $* in *--import*) cat "$NCU_PLAYS" ;; *) printf "%%s\\n" "$@" >ncu.words ;; esac\n' >bin/ncu
PATH=$PWD/bin:$PATH FAKE_CUPTI=functions=3 ends_with 0 assay profile ${case% --profiler cupti} --profiler ncu
says "by Nsight Compute"
says "->     0.3 us  void main<4>(float const*, float*)"
grep -qxF 'regex:^main$' ncu.words || complain "ncu was told another function: $(cat ncu.words)"
ends_with 64 assay profile $case --cache cold
says "--cache takes rotate or warm, not 'cold'"
ends_with 64 assay profile $case --set some
says "--set takes quick, standard or full, not 'some'"
# a processor: software events are there on every machine; what is not is said
cpu="--device cpu --kernel naive --problem attention/fp32/b1/h2/s96/d32"
assay profile $cpu >out 2>err
case $? in
0) says "by perf events"; says "page faults" ;;
69) says "perf_event" ;; # a container that forbids it
*) complain "a profile of the processor failed"; cat out err ;;
esac
ends_with 64 assay profile $cpu --profiler ncu
says "--profiler ncu does not count on device 'cpu'"
ends_with 69 assay profile --device sim:steady --problem attention/fp32/b1/h2/s96/d32
says "is simulated: it has no counters"
exit $failed

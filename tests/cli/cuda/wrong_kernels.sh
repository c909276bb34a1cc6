# slow with sanitizers
# What a kernel does to memory that is not its own is found and named on a GPU too.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
# wrong MODE SENTENCE
wrong() {
    ASSAY_FAKE_ATTENTION=$1@48 ends_with 1 assay fuzz --device cuda:0 --module $kernel --problem attention/fp16/b1/h2/s48/d32
    says "$2"
}
wrong past_end "out_of_bounds: the kernel wrote 3 bytes past the end of 'out'"
wrong before_start "out_of_bounds: the kernel wrote 2 bytes before the start of 'out'"
wrong input "input_changed: input 'k' was changed by the launch"
wrong row "unwritten: 32 of 3072 elements of 'out' were never written, first [0][1][47][0]"
wrong legacy "late_work: "
wrong refuse "launch_failed: launch 1 returned ASSAY_FAILED (3): the plan does not fit"
wrong limit "launch_failed: prepare changed the part of the L2 for persisting accesses from 0 to 1048576 bytes: a limit of the context"
ASSAY_FAKE_ATTENTION=sync@48 ends_with 1 assay bench --device cuda:0 --module $kernel --problem attention/fp16/b1/h2/s48/d32 --iters 10
says "launch cannot be captured into a graph"
exit $failed

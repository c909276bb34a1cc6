# slow: a problem of half a minute with sanitizers, on the path of cuda/gate
# A single call is timed by the host's clock and samples by the device's events: where these clocks differ (here a launch takes
# milliseconds by the one and 20 us by the other), no kernel is accused of doing less in a sample.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
ends_with 0 assay bench --device cuda:0 --module $kernel --problem attention/fp32/b1/h2/s256/d64 --iters 5
says "single call"
says_not "does less when timed"
exit $failed

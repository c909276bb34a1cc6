# slow with sanitizers: unit tests take the path
# In the sustained power mode each side has the device for a second at a time, and the energy that the device counts meanwhile is that
# of its launches: in the figures, in a table of its own, and in the document; the other mode has none.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export FAKE_NVML=temperature=61,power=320,energy_step=7 ASSAY_FAKE_CUDA=call_ns=2000000,l2_kib=64
bench="assay bench --device cuda:0 --module $kernel --problem attention/fp32/b1/h2/s200/d32 --iters 20"
ends_with 0 $bench --power-mode sustained
grep -qE '^ .* [0-9.]+ mJ .* [0-9]+ W$' out || { complain "no energy in the figures"; cat out; }
grep -A2 '^energy of a launch' out | grep -qE ' [0-9.]+ mJ at [0-9]+ W$' || { complain "no table of energies"; cat out; }
grep -q '"launch_energy_j": 0\.' runs/*/result.json || complain "not in the result"
rm -r runs
ends_with 0 $bench
says_not mJ
exit $failed

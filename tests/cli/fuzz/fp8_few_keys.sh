# slow with sanitizers: fuzz/follows_kernel and install/shipped take its branches
# A right kernel that rounds its weights to e4m3: inputs among whose keys few count are no staleness, and no wrong value.
for distribution in normal exact sharp sink normal10 mixed; do
    assay fuzz --kernel assay:naive --problem attention/fp8_e4m3/b1/h2/s530/d64 --distribution $distribution | sed -n 's/ (.*//; /530/p'
done

# What has no meaning for an audit is refused; --list and --verbose work.
for options in "--kernel naive" "--module x.so" "--oracle float64" "--repeat 2" "--resume last" "--device cuda:0" "--device sim:steady"; do
    # shellcheck disable=SC2086
    assay fuzz --audit --suite quick $options 2>&1; echo "exit $?"
done
assay fuzz --audit --suite quick --only q64 --output runs/x.json 2>&1 | tail -1; echo "exit ${PIPESTATUS[0]}" # no run makes that folder
assay fuzz --audit --suite quick --list
assay fuzz --audit --suite quick --only q64 --verbose | grep "zeros\|uniform"

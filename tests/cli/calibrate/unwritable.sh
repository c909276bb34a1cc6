# A study that cannot be stored is not lost with an hour of measuring: the error names the run to resume.
export XDG_CACHE_HOME=$PWD/cache
mkdir -p cache/assay/calibrations/lock
report_of calibrate --device sim:steady --only p0; echo "$?"
rmdir cache/assay/calibrations/lock
report_of calibrate --resume last | tail -1
ls cache/assay/calibrations/*.json | wc -l
exit 0

# What people read is at most 100 columns wide (names of files and the sentence at the end apart), with one number format in each
# column; the document says the same.
export XDG_CACHE_HOME=$PWD/cache
for device in promise tailed; do
    report_of calibrate --device sim:$device --only p0,p3,p9 --output $device.json >$device.out
    sed '$d' $device.out | grep -vE '^(results|kept in) ' | awk 'length > 100'
    grep -E '^p[0-9] ' $device.out | grep -oE '[0-9]+\.[0-9]+( %|\))' | sed -E 's/[0-9]+\./9./; s/[0-9]/9/g' | LC_ALL=C sort | uniq -c
done
grep -E '^device ' promise.out
grep -oE '"(spread_low_pct|spread_high_pct|within_sd_pct|caught_pct|certified_pct|fitness|pair_count_recommended|run_upper_bound_pct|accused_run_count)"' promise.json | LC_ALL=C sort | uniq -c

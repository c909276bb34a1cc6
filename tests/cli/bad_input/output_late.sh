# What cannot be written beside the answer of a command comes after the answer, and is its code where that would be 0.
try() { echo "- ${*:1:2}"; assay "$@" >out 2>err; echo "exit $?, $(grep -cE "$shown" out) lines of the answer"; grep -v '^warning' err; }
sim="--device sim:steady --only p0"
shown='\] p0  median'
try bench --kernel sim $sim --output /dev/full
try run sim $sim --output /dev/full
shown='^0/10 sim_crashing|^10/10 sim'
try fuzz --device sim:steady --kernel sim --output /dev/full
try fuzz --device sim:steady --kernel sim_crashing --output /dev/full
shown='wrong results detected'
try fuzz --audit --problem scale/fp32/n16 --output /dev/full
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
shown='^p0 '
try calibrate --rounds 5 $sim --output /dev/full
shown='\] p0  median'
try baseline set --rounds 2 $sim --output /dev/full
assay baseline set --rounds 2 $sim --output stored.json >/dev/null
shown='^p0 '
try baseline check stored.json $sim --output /dev/full
shown='^no significant|difference'
try compare stored.json stored.json --output /dev/full
echo "- a page that cannot be written"
page=$(find runs -path '*bench*' -name report.html); rm "$page"; mkdir "$page"
assay bench --resume "$(basename "$(dirname "$page")")" >out 2>err; echo "exit $?"; grep -E 'p0  median|^results' out | sed 's|: runs/.*/|: |; s/median .*//'
sed 's/2[0-9-]*-bench-..../ID/' err
echo "- a copy that cannot be written"
rm runs/summary.json; mkdir runs/summary.json
shown='\] p0  median'
try bench --kernel sim $sim

# The folder of runs is made by the run, so a file in it can be named before; another missing folder, and no name, are refused at once.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
try() { assay bench --device sim:steady --kernel mine --only a --suite pr --quiet --output "$@" 2>err >/dev/null; echo "'$*': $?, $(ls -d runs 2>/dev/null | wc -l) folder of runs"; cat err; }
try runs/x.json --dry-run
try ''
try runs/
try runs/sub/x.json
try elsewhere/x.json
try other/x.json --output-dir ./other; ls other/x.json
try above/x.json --output-dir above/runs; ls above/x.json
try ab/x.json --output-dir above/runs
try runs/x.json; ls runs/x.json
mkdir sub && cd sub || exit 9
rm -r ../runs
try ../runs/x.json; ls ../runs/x.json

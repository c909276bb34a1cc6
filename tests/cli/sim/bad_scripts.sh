# Mistakes in scripts are placed, and say what to try; names that are not known are answered with the nearest.
try() { printf '%s\n' 'version: 1' "$@" >assay.yaml; assay list --device sim:x; echo "exit $?" >&2; }
try 'devices: {mine: {}}'
try 'devices:' '  "sim:x": {noise: {cv_pc: 1}}'
try 'devices:' '  "sim:x": {noise: {ar1: 1.5}}'
try 'devices:' '  "sim:x": {episodes: [{throttle: fire}]}'
try 'devices:' '  "sim:x": {episodes: [{from_round: 4, to_round: 2}]}'
try 'kernels:' '  a: {operator: scale, backend: sim}'
try 'kernels:' '  a: {operator: scale, sim: {slower_on: scale/fp33/n3}}'
try 'kernels:' '  a: {operator: scale, sim: {base_us: -1}}'
try
rm assay.yaml
assay gate --device sim:steady --candidate sim_slower6 --baseline sim; echo "exit $?" >&2
assay gate --candidate sim --baseline sim; echo "exit $?" >&2
assay fuzz --device sim:steady --config A=1; echo "exit $?" >&2
touch x.so; assay fuzz --device sim:steady --module x.so; echo "exit $?" >&2
assay devices --device sim:steady --ceilings >/dev/null; echo "exit $?" >&2

# What cannot be a function in Python, or a peer, is a fault of the manifest, with its place.
try() {
    printf 'version: 1\nkernels:\n  a: {operator: attention, library: a.so}\n  mine: {operator: attention, %s}\npeers: [%s]\n' "$1" "$2" >assay.yaml
    assay list >/dev/null 2>err
    echo "$? $(cut -d';' -f1 err | sed "s|$PWD/||")"
}
try 'python: "foo:bar:baz"' a
try 'python: "foo.py:bar"' a
try 'python: "../foo:bar"' a
try 'python: "foo"' a
try 'python: "kern.fa:forward", entry: x' a
try 'python: "kern.fa:forward"' 'torch, a, kern.other:f, git:HEAD'
try 'python: "kern.fa:forward"' 'torch:flahs'
try 'python: "kern.fa:forward"' 'trch'
assay bench --kernel naive --suite quick --dry-run 2>&1 | cut -d';' -f1 | sed "s|$PWD/||"
assay bench --kernel naive --suite quick --dry-run 2>/dev/null
echo "$?"
assay fuzz --kernel torch:flash --device sim:steady 2>&1 | cut -d: -f1-6

# Runs lie beside the manifest, wherever below it a command is called; --output-dir names another folder.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
mkdir -p a/b
(cd a/b && report_of bench --device sim:steady --kernel mine --suite pr --no-store | sed -n 's|results: \(.*\)runs/.*/result.json,.*|from a/b: \1|p')
ls -d runs/* a/b/runs 2>/dev/null | sed 's|runs/.*-bench-....|runs/ID|'
(cd a && assay report last | grep -c 'Measured')
(cd a/b && assay bench --device sim:steady --kernel mine --suite pr --quiet --no-store --output-dir here >/dev/null && ls -d here/*-bench-* | wc -l)
# a manifest that is named is one, too
rm -r runs a/b/here
(cd a/b && report_of bench --manifest ../../assay.yaml --device sim:steady --kernel mine --suite pr --no-store | sed -n 's|results: \(.*\)runs/.*/result.json,.*|named from a/b: \1|p')
assay bench --manifest "$PWD/assay.yaml" --device sim:steady --kernel mine --suite pr --quiet --no-store >/dev/null
(cd a && cp ../assay.yaml other.yaml && assay bench --manifest other.yaml --device sim:steady --kernel mine --suite pr --quiet --no-store >/dev/null)
ls -d runs/*-bench-* a/runs/*-bench-* a/b/runs 2>/dev/null | sed 's|runs/.*-bench-....|runs/ID|'
(mkdir /tmp/assay-none-$$ && cd /tmp/assay-none-$$ && assay bench --device sim:steady --kernel sim --quiet >/dev/null && ls; rm -rf /tmp/assay-none-$$)

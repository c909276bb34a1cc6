# What every program does: -h, -V, version; a reader that goes away is no failure and no message; a full disk is both.
assay -V; assay version; assay --version --json
for command in gate bench history list; do assay $command -h | head -1; done
assay list suites | head -1 >/dev/null
echo "${PIPESTATUS[0]}"
(assay list problems --suite fuzz 2>err.txt; echo $? >code.txt) | true
cat err.txt code.txt
assay list suites >/dev/full
echo $?

# What people type first, and what it says: no kernel, a kernel without its option, no commit yet, no run yet.
unset ASSAY_STORE
try() { echo "\$ assay $*"; assay "$@" 2>&1 | sed -n 1p; echo "exit ${PIPESTATUS[0]}"; }
try report last
try gate
git init -q -b main . && git config user.email t@example.org && git config user.name tester
assay init >/dev/null
try bench mine
try init mine
try gate | sed "s|'/[^']*'|'HERE'|"
try fuzz --suite quick

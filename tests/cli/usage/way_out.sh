# A message names what is wrong, not what is right: a candidate that is named and does not fit, a repository that git does not take,
# runs that cannot be written.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
export NO_COLOR=1
try() { echo "\$ $*"; "$@" 2>&1 >/dev/null | sed "s|$PWD|HERE|g" | sed -n 1p; echo "exit ${PIPESTATUS[0]}"; }
mkdir sim && cd sim && sim_project
try assay gate
try assay gate --baseline mine
try assay bisect HEAD~1..HEAD
try assay tune
touch runs
try assay bench --device sim:steady --kernel mine | sed "s|runs/[^']*|runs/ID|"
mkdir ../cpu && cd ../cpu && project
try assay gate --suite gemm_quick
try assay gate --problem gemm/fp32/m16/n16/k16
try assay bisect HEAD~1..HEAD --suite gemm_quick
try assay tune --resume last --suite gemm_quick
sed -i 's/backend: cpu/backend: cuda/' assay.yaml
try assay gate --device cpu
printf 'version: 1\nsuites: {pr: {from: pr}}\n' >assay.yaml
try assay gate
mkdir ../theirs && cd ../theirs && git init -q .
GIT_TEST_ASSUME_DIFFERENT_OWNER=1 try assay init --github
program=$(command -v assay)
mkdir path && try env PATH="$PWD/path" "$program" init --github | sed 's/^\$ .*/$ without git/'
mkdir /tmp/assay-none-$$ && cd /tmp/assay-none-$$ && try assay init --github; rmdir /tmp/assay-none-$$

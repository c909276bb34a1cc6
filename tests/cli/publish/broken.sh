# A gate that ends before it measures is published, too: the comment, outputs and summary of the last good push do not stay. First a
# candidate that does not build, then a baseline that does not, then a kernel that is gone. Without --github nothing is written.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
project
fake_host
github_job
gate() {
    : >../output
    : >../summary.md
    report_of gate --device cpu --baseline git:HEAD "$@" >../report.txt 2>../err.txt
    echo "exit $?"
}
told() {
    said | grep '^comment' | cut -d'|' -f2-
    sed 's/^run=.*/run=RUN/' ../output
    grep -c '(exit .)' ../summary.md
}
echo "== good"
gate --github && said | grep '^comment' | cut -d'|' -f2-
echo "== a candidate that does not build"
echo 'int broken(void) { return undeclared_name; }' >>csrc/mine.c
gate
ls runs | wc -l
gate --github
told
grep -q undeclared ../summary.md && grep -q undeclared_name ../err.txt && echo "the compiler's words are there"
assay report last --format junit | grep -o '<testsuite .*\|<failure.*'
ls "$(ls -td runs/*/ | head -1)"
echo "== in JSON standard output stays one document"
gate --github --json && python3 -c 'import json; print(json.load(open("../report.txt"))["exit_code"])'
echo "== a baseline that does not build"
git commit -qam broken && git show HEAD^:csrc/mine.c >csrc/mine.c
gate --github
told
echo "== the kernel is gone"
git commit -qam good && sed -i 's/mine/other/g' assay.yaml && git mv csrc/mine.c csrc/other.c
gate --github
told
said | grep -c POST

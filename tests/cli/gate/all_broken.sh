# `gate --all` with a kernel that does not build: one line in the headline, the compiler's others as notes; the run has its seed and time.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
echo 'int broken(void) { return undeclared_name; }' >>csrc/mine.c
report_of gate --device cpu --baseline git:HEAD --all --seed 7 >../report.txt 2>../err.txt
echo "exit $?"
sed -n '2p' ../report.txt | grep -c '\\n'
sed -n '2p' ../report.txt | grep -oE "on 'csrc/mine.c'; 1 of 1 .*"
grep -cE '^- mine: .*undeclared_name' ../report.txt
grep -E '^(seed|suite) ' ../report.txt
grep -cE '^run  .*-all, 20[0-9-]*T[0-9:]*Z$' ../report.txt

. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; cp csrc/mine.c good.c; echo 'int broken(void) { return undeclared_name; }' >>csrc/mine.c; git add -A; git commit -qm broken
cp good.c csrc/mine.c
assay gate --baseline git:HEAD

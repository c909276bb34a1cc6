. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; echo 'int broken(void) { return undeclared_name; }' >>csrc/mine.c
assay gate --baseline git:HEAD

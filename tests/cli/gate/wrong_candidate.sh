. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; sed -i 's/sum += a\[d\] \* b\[d\]/sum += a[d] * b[d] * 1.01f/' csrc/mine.c
assay gate --baseline git:HEAD --rounds 5 --iters 5 --sample-time 0.1ms # the baseline is measured alone

# What is no question: 64 and a sentence each.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
history 3 2
git checkout -q -b other good; git commit -q --allow-empty -m other; git checkout -q main
say() { report_of bisect --device sim:steady "$@" 2>&1 | plain | sed "s|$PWD|<here>|"; echo "exit ${PIPESTATUS[0]}"; }
say
say good
say good...HEAD
say HEAD..good
say good..good
say nosuch..HEAD
say other..HEAD
say good..HEAD --certainty 100
say good..HEAD --rounds 2
say --resume nosuch
say good..HEAD --resume last
say good..HEAD --kernel nosuch
say good..HEAD --dry-run
cd / && assay bisect a..b 2>&1; echo "exit $?"

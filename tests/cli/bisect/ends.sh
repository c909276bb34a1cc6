# Nothing to look for, in six ways: each is exit 3 with a sentence.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
extra_2="crash_at_launch: 3" extra_3="no_such_key: 1"
history 6 5
say() { bisect_report "$@" | sed -n 2p | plain | sed -E 's/BAD is .*(against GOOD)/BAD is ... \1/; s/; known here: [^)]*//'; echo "exit ${PIPESTATUS[0]}"; }
say good..c1
say c5..c6
say good..c2
say good..c3
say c3..c6
script 100; git commit -qam "as good"
say good..HEAD

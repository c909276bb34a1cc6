# slow with sanitizers
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; git checkout -qb feature; slow_down; git commit -qam "slower"; echo "/* dirty */" >>csrc/mine.c
cp csrc/mine.c ../before; assay gate --baseline git:merge-base; code=$?
cmp ../before csrc/mine.c && echo "status: $(git status --porcelain | tr '\n' ';')"
exit $code

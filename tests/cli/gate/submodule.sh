# A source inside a git submodule: a revision has none, and the sentence says so; so does one for a clone without its submodules.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always
mkdir inner && (cd inner && project && mkdir 'k' && git mv csrc/mine.c k/mine.c && git commit -qm moved)
mkdir outer && cd outer && project
git submodule --quiet add ../inner sub && sed -i 's|csrc/mine.c|sub/k/mine.c|' assay.yaml && git add -A && git commit -qm sub || exit 9
assay gate --baseline git:HEAD 2>&1 | sed 's|assay-[A-Za-z0-9]*|TREE|'
git clone --quiet . ../clone && cd ../clone
assay build --kernel mine 2>&1 | sed "s|$PWD|HERE|"
sed -i 's|sub/k/mine.c|csrc/other.c|' assay.yaml
assay build --kernel mine 2>&1 | sed "s|$PWD|HERE|"

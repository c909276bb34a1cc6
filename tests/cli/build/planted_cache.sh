# Without HOME and XDG_CACHE_HOME the cache lies where anybody may have made it: it is made for its user alone, and refused where others
# may write to it, or where a link leads elsewhere.
mkdir tmp other && cache=tmp/assay-cache-$(id -u)
export TMPDIR=$PWD/tmp
cat >mine.c <<'C'
#include <assay/kernel.h>
static int launch(ASSAY_LAUNCH_ARGS) { return 0; }
ASSAY_KERNEL(.name = "mine", .op = "scale", .backend = "cpu", .launch = launch)
C
printf 'version: 1\nkernels: {mine: {operator: scale, source: mine.c}}\n' >assay.yaml
lonely() { env -u HOME -u XDG_CACHE_HOME assay "$@"; }
build() {
    lonely build --kernel mine --quiet >out 2>said
    echo "$1: $? $(sed "s|'$PWD/|'|; s|cache-$(id -u)'|cache-UID'|" said)"
}
build "no cache" && stat -c 'mode %a' "$cache" && ls "$cache/modules" | wc -l
build "its own"
chmod 777 "$cache" && build "others may write"
lonely gate --device sim:steady --candidate sim --baseline sim --measure-same | grep -c 'warning: the calibration was not used: the cache .* is not yours alone'
rm -r "$cache" && ln -s ../other "$cache" && build "a link" && ls other | wc -l
rm "$cache" && touch "$cache" && build "a file"

# Kernels that come with assay, in a folder without a manifest, of an installed program alone: built from the installed sources.
build=$(dirname "$(readlink -f "$ASSAY")")
[ -e "$build/help/_assay" ] || { echo "SKIPPED: this build has no manual pages"; exit 0; }
DESTDIR=$PWD/there cmake --install "$build" --prefix /prefix >install.log 2>&1 || { tail -5 install.log; exit 1; }
export XDG_CACHE_HOME=$PWD/cache PATH=$PWD/there/prefix/bin:$PATH
sources=$PWD/there/prefix/share/assay
mkdir mine && cd mine
assay list kernels | grep -E '^(naive|assay:(tiled|fa_sm90|gemm_simd)) ' | sed 's/  */ /g'
assay list peers --device cpu | grep -oE '^assay:(simd|fa_sm90) '
assay build --kernel assay:simd --verbose | grep -o "^cd '$sources' .* -c '[^']*'" | sed "s/^cd .* -c /compiled there: /"
report_of fuzz --kernel assay:simd --suite quick | grep '^[0-9]*/'
assay bench --kernel naive --vs assay:simd,assay:tiled --suite quick --dry-run | grep -E '^(candidate|peer) '
assay bench --kernel naive --vs assay:simdd --suite quick --dry-run 2>&1 | sed 's/ there are .*//'; echo "exit ${PIPESTATUS[0]}"
assay fuzz --kernel assay:fa_sm90 --device cpu 2>&1; echo "exit $?"

# slow with sanitizers: cpack packs any program alike
# The Debian package: made by cpack, taken apart, and its program runs from there.
build=$(dirname "$(readlink -f "$ASSAY")")
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null && command -v file >/dev/null || { echo "SKIPPED: no dpkg-dev or file"; exit 0; }
[ -e "$build/help/_assay" ] || { echo "SKIPPED: this build has no manual pages"; exit 0; }
"$ASSAY_SOURCE/scripts/package.sh" deb "$build" made || exit 1
dpkg-deb -x made/*.deb root
root/usr/bin/assay --version | sed 's/[0-9.]*$/VERSION/'
root/usr/bin/assay list suites | grep -c '^quick '
dpkg-deb -f made/*.deb Depends | grep -o 'libyaml-0-2'
dpkg-deb -f made/*.deb Recommends
(cd root/usr/share && ls man/man1/assay.1 bash-completion/completions/assay zsh/vendor-completions/_assay assay/kernels/attention/simd.c && ls ../lib/cmake/assay)

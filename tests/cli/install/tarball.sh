# slow with sanitizers: a tarball packs any program alike
# The tarball: two of one build agree byte for byte. Unpacked into a folder with a space, moved on, and run without an environment, its program
# finds the header, the shipped kernels, its library for Python and, in a static build (.ci/run), the libraries of that beside itself.
build=$(dirname "$(readlink -f "$ASSAY")")
[ -e "$build/help/_assay" ] && [ -e "$build/libassay_worker.so" ] || { echo "SKIPPED: this build has no manual pages or no libassay_worker.so"; exit 0; }
for folder in first second; do "$ASSAY_SOURCE/scripts/package.sh" tarball "$build" $folder || exit 1; done
cmp first/*.tar.gz second/*.tar.gz && echo "the same twice"
tar -tzvf first/*.tar.gz | awk '{print $2, substr($1, 5)}' | sort -u
mkdir "some place" && tar -xzf first/*.tar.gz -C "some place" && mv "some place"/assay_* "some place/moved" || exit 1
moved="$PWD/some place/moved"
(cd "$moved" && ls -d bin/assay include/assay/kernel.h share/man/man1/assay.1 share/assay/kernels/attention/simd.c share/assay/README.md lib/cmake/assay \
    share/assay/docs/tutorial.md share/bash-completion/completions/assay share/zsh/site-functions/_assay)
assay() { env -i HOME="$PWD/home" PATH=/usr/bin:/bin "$moved/bin/assay" "$@"; }
mkdir mine && cd mine || exit 1
assay --version | sed 's/[0-9.]*$/VERSION/'
assay init | sed 's/:.*//'
where() { assay build --kernel "$1" --verbose 2>&1 | grep -oF -e "cd '$moved/share/assay'" -e "'-I$moved/include'" | sed "s|$moved|MOVED|" | sort -u; }
where mine
where assay:tiled
assay fuzz --kernel mine --suite quick --quiet | grep '^[0-9]*/'
assay fuzz --kernel assay:tiled --suite quick --quiet | grep '^[0-9]*/'
grep -q '^ASSAY_STATIC:BOOL=ON' "$build/CMakeCache.txt" || exit 0
ldd "$moved/lib/libassay_worker.so" | awk -v own="$moved/" '$2 == "=>" && index($0, own) == 0 && $1 !~ /^lib(c|m)[.]so/'
(cd "$moved/share/doc/assay/licences" && for package in libyaml nettle libxxhash libseccomp libsqlite3 libzstd; do
    [ -s $package-dev.txt ] || echo "no licence of $package"
done)

# An installed tree: it runs, its manual pages render without a warning, both shells complete, and uninstall leaves nothing.
build=$(dirname "$(readlink -f "$ASSAY")")
[ -e "$build/help/_assay" ] || { echo "SKIPPED: this build has no manual pages"; exit 0; }
export DESTDIR=$PWD/root
cmake --install "$build" --prefix /opt/assay >install.log 2>&1 || { tail -5 install.log; exit 1; }
root=$DESTDIR/opt/assay
export PATH=$root/bin:$PATH
unset DESTDIR
mkdir mine && cd mine
assay --version | sed 's/[0-9.]*$/VERSION/'
assay list suites | grep -c '^quick '
cd ..

for page in "$root"/share/man/man1/*.1; do
    groff -man -Tascii -P-cbou -ww "$page" 2>>warnings >page.txt
    grep -q '^NAME' page.txt || echo "empty: $page"
done
cat warnings
ls "$root/share/man/man1" | grep -c '^assay'

# $1: a line as typed so far; what bash offers.
complete_bash() {
    bash -c '. "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _assay; printf "%s\n" "${COMPREPLY[@]}"' - \
        "$root/share/bash-completion/completions/assay" "$1" | sort | tr '\n' ' '
    echo
}
complete_bash 'assay cal'
complete_bash 'assay fuzz --ker'
complete_bash 'assay fuzz --color '
complete_bash 'assay gate --cache=r'
complete_bash 'assay gate --policy '
complete_bash 'assay list sui'

if ! command -v zsh >/dev/null; then
    echo "no zsh" >&2
else
    cat >drive.zsh <<'Z'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1='> '; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy"
zpty -r -m z out '*ready*'
zpty -w -n z $'assay fuzz --kern\t'
zpty -r -m z out '*--kernel*' && echo "zsh: --kernel"
zpty -w -n z $'\x15assay calibr\t'
zpty -r -m z out '*calibrate*' && echo "zsh: calibrate"
zpty -d z
Z
    timeout 30 zsh -f drive.zsh "$root/share/zsh/site-functions" >zsh.txt 2>&1
    cmp -s zsh.txt - <<<$'zsh: --kernel\nzsh: calibrate' || { echo "zsh completes otherwise:"; cat zsh.txt; }
fi

DESTDIR=$PWD/root cmake -DMANIFEST="$build/install_manifest.txt" -DPREFIX=/opt/assay -P "$ASSAY_SOURCE/cmake/uninstall.cmake" >uninstall.log 2>&1 ||
    cat uninstall.log
find root -mindepth 1
echo "uninstalled"

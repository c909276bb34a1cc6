# slow with sanitizers: unit/test_shared_lock and lock/no_wait take its branches
# Whatever somebody has put where the lock should be, a gate decides, and leaves it as it is.
. "$ASSAY_SOURCE/tests/cli/lock/_holder.sh"
wrong_project
echo precious >"$ASSAY_LOCKS/precious"
locks_only() { sed "s|$ASSAY_LOCKS|LOCKS|; /processors\{0,1\} that we may use/d; /does not count and is measured again/d; /the first measurement took/d; /^note: ended early/d" "$1"; }
gate() { # $1: what is there
    timeout 120 assay gate --baseline git:HEAD $short --no-wait >out 2>err
    echo "$1: exit $?"
    locks_only err
    rm -rf "$lock"
}
ln -s precious "$lock"; gate "a link"
ln -s /no/such "$lock"; gate "a link to nothing"
ln "$ASSAY_LOCKS/precious" "$lock"; gate "a second name"
mkdir "$lock"; gate "a folder"
mkfifo "$lock"; gate "a pipe"
head -c 100000 /dev/urandom >"$lock"; gate garbage
printf '1 \033[31mgate 1\n' >"$lock"; gate "colours"
: >"$lock"; chmod 000 "$lock"
gate unreadable >said # root may lock it, another user is told why not
if [ "$(id -u)" = 0 ]; then wanted="unreadable: exit 1"; else wanted="*Permission denied*"; fi
# shellcheck disable=SC2254
case $(cat said) in $wanted) ;; *) cat said ;; esac
cat "$ASSAY_LOCKS/precious"
ASSAY_LOCKS=/no/such assay gate --baseline git:HEAD $short >out 2>err
echo "no folder: exit $?"
locks_only err

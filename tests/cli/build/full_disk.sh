# A full disk is not a compiler error: exit code 74 and one sentence, for candidate and baseline; nothing of the build is kept.
export XDG_CACHE_HOME=$PWD/.cache
mkdir bin kernels && sed -n '/^```c$/,/^```$/p' "$ASSAY_SOURCE/docs/adding.md" | sed '1d;$d' >kernels/mine.c
printf 'version: 1\nkernels: {mine: {operator: scale, source: kernels/mine.c}}\n' >assay.yaml
git init -q -b main . && git config user.email t@example.org && git config user.name tester
git add assay.yaml kernels && git commit -qm first
# A compiler that preprocesses, but cannot write.
printf '#!/bin/sh\ncase " $* " in *" -c "*) echo "k.s: Fatal error: can'\''t write 9 bytes: No space left on device"; exit 1;; esac\nexec %s "$@"\n' "$(command -v gcc)" >bin/gcc
chmod +x bin/gcc
PATH=$PWD/bin:$PATH assay build --kernel mine 2>err; echo "build: $?"; cat err; wc -l <err
PATH=$PWD/bin:$PATH assay gate --baseline git:HEAD --candidate mine >gate 2>&1; echo "gate: $?"
grep -c "no space is left" gate
ls .cache/assay/tmp
# One that is really full, where a disk may be made: the log has no room either.
cat >small.sh <<'S'
mkdir small && mount -t tmpfs -o size=40k none small || { echo "small: 74"; exit; }
XDG_CACHE_HOME=$PWD/small assay build --kernel mine 2>err; echo "small: $?"
grep -q "no space is left" err || cat err
S
unshare -rm bash small.sh 2>/dev/null || echo "small: 74"
assay build --kernel mine --json >/dev/null; echo "with room: $?"

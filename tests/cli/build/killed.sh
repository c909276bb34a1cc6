# kill -9 of assay in the middle of a build: no process of the build goes on, and the next build removes its leftovers from the cache.
export XDG_CACHE_HOME=$PWD/.cache
mkdir bin kernels && sed -n '/^```c$/,/^```$/p' "$ASSAY_SOURCE/docs/adding.md" | sed '1d;$d' >kernels/mine.c
printf 'version: 1\nkernels: {mine: {operator: scale, source: kernels/mine.c}}\n' >assay.yaml
# A compiler that takes long, and says who it is.
cat >bin/gcc <<S
#!/bin/sh
case " \$* " in *" -c "*) echo \$\$ >$PWD/compiler.part && mv $PWD/compiler.part $PWD/compiler; sleep 100; exit 1;; esac
exec $(command -v gcc) "\$@"
S
chmod +x bin/gcc
begin() { rm -f compiler; PATH=$PWD/bin:$PATH assay build --kernel mine 2>err & for _ in {1..400}; do [ -e compiler ] && break; sleep 0.05; done; }
ended() { for _ in {1..400}; do kill -0 "$(cat compiler)" 2>/dev/null || return 0; sleep 0.05; done; return 1; }
begin; kill -KILL $!; wait $! 2>/dev/null
ended && echo "the compiler ended with it"
ls .cache/assay/tmp | wc -l
begin; kill -INT $!; wait $!; echo "interrupted: $?"; cat err
ended && echo "the compiler ended too"
ls .cache/assay/tmp | wc -l
assay build --kernel mine --json >/dev/null; echo "then: $?"

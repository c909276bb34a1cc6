# Instructions are counted for compiled kernels on a processor, outside of the sandbox, by a program that has to be there.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; slow_down
gate() { assay gate --baseline git:HEAD --metric instructions "$@"; echo "code $?"; }
gate
gate --device sim:steady --candidate sim --baseline sim
mkdir bin
for tool in sh git ninja gcc cc as ld ldd env dirname rm; do ln -s "$(PATH=/usr/bin:/bin command -v $tool)" "bin/$tool" 2>/dev/null; done
PATH=$(dirname "$(command -v assay)"):$PWD/bin
gate --isolation none
[ -e runs ] && echo "something was measured"
PATH=/usr/bin:/bin:$PATH
assay bench --metric instructions; echo "bench: $?"

# What a reference of the user's does wrong ends fuzz, bench and gate with one sentence that names it, before a kernel is judged.
. "$ASSAY_SOURCE/tests/cli/operators/_declared.sh"
declare_twice 'limits: {reference_s: 1}'
try() { # what it does; as reference
    [ "$2" = as_it_is ] || reference "${@:2}"
    assay "${command[@]}" >out 2>err; code=$?
    sed -i '/^note: /d; /^kernel 1 of 1: /d' err # the machine is busy
    echo "$1: $code$(sed 's/^assay: error://; s/gcc [0-9.]*\|clang [0-9.]*/the compiler/; 2,$d; s,'"'$PWD'"',HERE,; s,/[^ ]*/modules/[^ ]*/,,' err)"
    [ ! -s out ] || sed 's/^/  out: /; s,runs/[^ ]*,RUN,' out
    [ ! -d runs ] || rm -r runs
}
command=(fuzz --kernel mine --problem twice/n5)
try 'is honest' ''
try 'has a null pointer' '*(volatile int *)(uintptr_t)errno = 1;'
try 'hangs' 'for (volatile int i = 0;; ++i) {}'
try 'hangs in single precision' 'if (sizeof *y == 4) for (volatile int i = 0;; ++i) {}'
try 'exits' 'exit(3);'
try 'exits with 0' 'exit(0);'
try 'aborts when loaded' '' '__attribute__((constructor)) static void begin(void) { abort(); }'
try 'aborts at its end' '' '__attribute__((destructor)) static void end(void) { abort(); }'
try 'makes an integer of NaN' 'y[0] = (int)(x[0] * 0 / (n - 5));'
try 'has failed' 'return assay_say(message, ASSAY_FAILED, "the table is empty");'
try 'refuses' 'return ASSAY_UNSUPPORTED;'
try 'is for another operator' '' '' thrice
try 'writes beyond' 'y[n] = 1;'
try 'writes before' 'y[-1] = 1;'
reference '' && sed -i 's/i < n;/i < n - 3;/' reference.c
try 'leaves elements' as_it_is
try 'changes an input' '((double *)(uintptr_t)x)[1] = 0;'
try 'forks' 'if (fork() < 0) return assay_say(message, ASSAY_FAILED, "no child process");'
try 'writes a file' 'if (open("'"$PWD"'/file", O_WRONLY | O_CREAT, 0600) < 0) return assay_say(message, ASSAY_FAILED, "no file");'
try 'does not compile' 'return nothing;'
reference '' 'int launch(ASSAY_LAUNCH_ARGS);' && sed -i '/^ASSAY_KERNEL/d; s/^static int/int/' reference.c
try 'is no reference' as_it_is
rm reference.c
try 'is missing' as_it_is
[ ! -e file ] || echo "it wrote a file"
# These are no mistakes: nobody sees what it prints, and in double precision alone the type decides.
try 'prints' 'puts("printed"); fflush(stdout); fputs("printed\n", stderr);'
try 'needs double precision' '' '_Static_assert(sizeof(double) == 8, "double");'

reference 'if (n == 6) abort();'
# Not the first problem, and so no error of the whole run: this one has no verdict.
command=(fuzz --kernel mine --problem twice/n5,twice/n6)
try 'aborts on the second problem' as_it_is
for command in "bench --rounds 2 --iters 5" gate; do
    [ "$command" != gate ] || { git init -q . && git add -A && git -c user.name=t -c user.email=t@example.org commit -qm first; }
    [ "$command" != gate ] || { echo '/**/' >>mine.c; command="gate --candidate mine --baseline git:HEAD --check twice_boundary"; }
    read -ra command <<<"$command --problem twice/n6"
    try "${command[0]}" as_it_is
done

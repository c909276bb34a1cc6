# slow with sanitizers: unit tests take its branches
# The test of pages fails where a page shows what is not printed: another word, a line too few or too many, another exit code.
check() { # $1: what the page shows of the command on standard input
    { echo '# Page'; echo '```console'; echo '$ true'; echo '$ true'; cat; printf '%s\n' "$@"; echo '```'; } >page.md
    python3 "$ASSAY_SOURCE/tests/cli/docs/_page.py" page.md >said && echo "as shown" || sed -n 's|^   \([it]\)|\1|p' said
}
check 'a  12.5 us  slower' '-----' <<<'$ printf "a 3 ms slower\n-------\n"'
check 'first' '...' 'last' <<<'$ seq 3 | sed "s/1/first/; s/3/last/"'
check 'a  12.5 us  faster' <<<'$ echo "a 3 ms slower" | cat'
check 'one' 'two' <<<'$ printf "one\n"'
check 'one' <<<'$ printf "one\ntwo\n"'
check 'one' '...' 'three' <<<'$ printf "one\ntwo\n"'
check '1' <<<$'$ false\n$ echo $?'
check '0' <<<$'$ false\n$ echo $?'

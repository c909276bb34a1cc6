# A report has one format: options that ask for two are refused, and none wins in silence.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
sim_gate --measure-same >/dev/null 2>&1
try() {
    assay report last "$@" >out.txt 2>&1
    echo "$? | $* | $(grep -m 1 -o '\-\-[^"]* are two formats[^"]*' out.txt)"
}
try --json --html
try --json --format markdown
try --json --format svg
try --json --samples --format text
try --html --format markdown
try --json --format json
try --html --format html

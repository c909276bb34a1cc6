# slow with sanitizers: three widths of the same tables, which unit tests take
# Tables and sentences fit the page; only lines that are copied (commands, names) may be longer. A file or a pipe has no page.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
assay gate --device sim:promise --candidate sim_slower5 --suite sim --quiet >/dev/null
assay bench --kernel naive --vs assay:simd --suite quick --only q64 --iters 5 --quiet >/dev/null 2>&1
run=$(ls -d runs/* | head -1)
commands() {
    echo "assay --help"
    for name in gate fuzz bench report history; do echo "assay $name --help"; done
    for what in kernels suites operators problems peers formats; do echo "assay list $what"; done
    echo "assay report $run"
    echo "assay report $run --format summary"
    echo "assay devices --device sim:promise"
    echo "assay build --kernel assay:simd"
    echo "assay fuzz --kernel mine --device sim:steady --suite tiny"
    echo "assay compare runs/summary.json runs/summary.json"
}
for columns in 60 80 200; do
    commands | while read -r command; do
        COLUMNS=$columns $command >out 2>err
        # A word, alone or behind its name, and a command are not broken.
        awk -v w=$columns -v c="$command" 'length($0) > w && $0 !~ /^ *([a-z]+ )*([a-z]+  +)?[^ ]+$/ && $0 !~ /^ *(repeat: )?assay / && $0 !~ /^(report|results): / {
            print w ": " c ": " $0 }' out
    done
done
COLUMNS=60 assay report "$run" | grep -c 'regression'
assay report "$run" | awk 'length($0) > 100 { long = 1 } END { print long ? "a pipe has no page" : "broken" }'

# Two programs that never rest: before anything is measured one line says so, and the report has it as a warning.
hogs=()
for _ in 1 2 3 4; do python3 -c 'while True: pass' & hogs+=($!); done
trap 'kill "${hogs[@]}"' EXIT
sleep 0.3
assay bench --kernel naive --problem attention/fp32/b1/h1/s16/d16 --iters 6 --sample-time 100us >out.txt 2>err.txt
grep -E -o 'note: [0-9]+ processors? that we may use (are|is) .* % busy before anything was measured' err.txt | sed 's/[0-9][0-9]*/N/g; s/processors/processor/; s/ are / is /'
grep -c 'python3 [0-9]* %.*it takes longer, or there is no verdict' err.txt
grep -c 'note: the first measurement took .*: expect .* until the first look, up to .* if measurements do not count' err.txt
grep -c 'busy before anything was measured' out.txt
assay bench --kernel naive --problem attention/fp32/b1/h1/s16/d16 --iters 6 --sample-time 100us --quiet 2>&1 >/dev/null | grep -c note:
true

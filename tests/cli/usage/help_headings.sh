# Many options stand under headings, on the page and in the manual; few are one list. No option is lost, none stands twice.
for command in gate bench fuzz tune bisect baseline calibrate run profile compare list history; do
    assay $command --help >"$command.txt"
    echo "$command: $(grep -oP '^options:? ?\K.*' "$command.txt" | paste -sd, | sed 's/,/, /g')"
    grep -oP '^  --\K[a-z-]+' "$command.txt" | sort | uniq -d
    assay $command --help-as man | sed -n 's/^\\fB\\-\\-\([a-z\\-]*\)\\fR.*/\1/p' | tr -d '\\' | sort >of_man
    grep -oP '^  --\K[a-z-]+' "$command.txt" | sort | cmp - of_man
done
assay gate --help-as man | grep '^\.SS'
assay gate --help | grep -A1 -e '--candidate names'

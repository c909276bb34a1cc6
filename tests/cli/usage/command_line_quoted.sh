# The command line that a run records can be typed again: characters special to a shell are quoted, apostrophes too.
recorded() { python3 -c 'import json, sys; print(json.load(sys.stdin)["command_line"])'; }
line=$(assay fuzz --device sim:steady --kernel sim --dry-run --json --output-dir "it's my \$HOME" | recorded)
echo "$line"
[ "$(eval "$line" | recorded)" = "$line" ] && echo "typed again it is the same"

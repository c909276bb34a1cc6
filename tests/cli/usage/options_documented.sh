# Every option that a command's --help prints stands in docs/commands.md: in the command's own section or the common one.
assay --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' >commands
while read -r command; do
    assay "$command" --help >"$command.help" || echo "no help: $command"
done <commands
python3 - "$ASSAY_SOURCE/docs/commands.md" <<'P'
import re, sys
sections = {"Common options": ""}
for part in re.split(r"^## ", open(sys.argv[1]).read(), flags=re.M)[1:]:
    heading, _, text = part.partition("\n")
    for name in heading.split(", "):
        sections[name] = text
words = lambda text: set(re.findall(r"--[a-z][a-z-]*", text))
commands = open("commands").read().split()
option_count = 0
for command in commands:
    options = re.findall(r"^  (--[a-z][a-z-]*)", open(command + ".help").read(), flags=re.M)
    documented = words(sections["Common options"]) | words(sections.get(command, ""))
    option_count += len(options)
    for option in options:
        if option not in documented:
            print("not in docs/commands.md:", command, option)
print("looked at enough" if len(commands) >= 12 and option_count > 150 else f"{len(commands)} commands, {option_count} options")
P

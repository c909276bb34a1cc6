# Text from a kernel, a compiler, a file, a name or a worker's last words is data: nothing in it reaches a terminal, a page or the
# log of a workflow as a control, as a line of its own or as a command.
cat >_words.h <<'C'
#define WORDS "::error::a\033[2J\033[32mall passed\007\n::error::b\r\302\233\342\200\256 ##[error]c &#27;<script>\377"
C
kernel() { # name, callback, statement
    python3 - "$@" <<'P'
import os, sys
name, callback, statement = sys.argv[1:]
text = open(os.environ["ASSAY_SOURCE"] + "/tests/cli/_slow_attention.c").read()
marks = {"supports": "static int supports(const struct assay_problem *problem, struct assay_message *message) {\n",
         "prepare": "    (void)env, (void)bytes, (void)message;\n",
         "launch": "    const struct assay_cpu_stream *cpu = stream;\n"}
assert marks[callback] in text
text = '#include "_words.h"\n#include <stdio.h>\n#include <stdlib.h>\n' + text.replace(marks[callback], marks[callback] + statement + "\n")
open(name + ".c", "w").write(text)
P
}
kernel reason supports 'if (problem) return assay_say(message, ASSAY_UNSUPPORTED, WORDS);'
kernel note prepare 'assay_say(message, 0, WORDS);'
kernel fails launch 'if (cpu) return assay_say(message, ASSAY_FAILED, WORDS);'
kernel prints launch 'if (cpu) { puts("\n" WORDS); fputs(WORDS "\n", stderr); fflush(stdout); abort(); }'
cat >assay.yaml <<'Y'
version: 1
kernels:
  reason: {operator: attention, backend: cpu, source: reason.c}
  note: {operator: attention, backend: cpu, source: note.c}
  fails: {operator: attention, backend: cpu, source: fails.c}
  prints: {operator: attention, backend: cpu, source: prints.c}
  command: {operator: attention, backend: cpu, build: {run: "cat words; false", output: x.so}}
suites: {one: {problems: {a: attention/fp32/b1/h1/s32/d16}}}
Y
printf '::error::a\033[2J\n\n##[error]b\n  ::error::c\302\233\n' >words
look() { # name, command: what it printed must be clean
    local name=$1; shift
    "$@" >out.txt 2>err.txt; local code=$?
    python3 - "$name" $code <<'P'
import re, sys
bad = set()
for name in "out.txt", "err.txt":
    raw = open(name, "rb").read()
    text = raw.decode(errors="surrogateescape")
    if "\x1b[32mall" in text: bad.add(f"{name} has a kernel's colours")
    text = re.sub("\x1b\\[(0|1|2|31|32|33|36)m", "", text)
    for c in text:
        if (ord(c) < 32 and c != "\n") or 0x7f <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069 \
                or 0xdc80 <= ord(c) <= 0xdcff:
            bad.add(f"{name} has {ord(c):#x}")
    for line in text.split("\n"):
        if line.strip().startswith("::") or "##[" in line: bad.add(f"{name} has the command {line!r}")
        if line.startswith("all passed") or line.startswith("made line"): bad.add(f"{name}: a line was made")
print(sys.argv[1], "exit", sys.argv[2], "|", "; ".join(sorted(bad)) or "clean")
P
}
for kernel in reason note fails prints; do
    look $kernel assay fuzz --kernel $kernel --suite one --verbose --color always
    grep -qhE 'x1b\[2J' out.txt err.txt || [ $kernel = note ] || echo "$kernel: the words are not shown"
    for format in text markdown json; do look "$kernel, $format" assay report last --format $format; done
    [ $kernel = note ] || look "$kernel, bench" assay bench --kernel $kernel --suite one --iters 6
done
look "json" assay fuzz --kernel fails --suite one --json
python3 -c 'import json; m = json.load(open("out.txt"))["checks"][0]["checks"][0]["message"]; assert "\x1b[2J" in m, m; print("nothing is lost in JSON")'
look "own build" assay build --kernel command
look "own build, verbose" assay build --kernel command --verbose
echo 'int x = WORDS;' | cat _words.h - >note.c; look "compiler" assay build --kernel note

odd=$(printf 'o\n::error::\033[2J##[error]made line.so')
kernel reason supports ''
cc -shared -fPIC -I"$ASSAY_SOURCE/include" reason.c -o "$odd" -lm
look "file name" assay fuzz --module "$odd" --suite one
look "file name, report" assay report last --format markdown
look "no such file" assay report "$odd.json"
look "no such module" assay fuzz --module "$odd.x"
look "unknown kernel" assay fuzz --kernel "$odd"
look "unknown command" assay "$odd"
look "unknown option" assay fuzz "--$odd"
look "dry run" assay fuzz --module "$odd" --suite one --dry-run
look "folder of runs" assay fuzz --kernel reason --suite one --output-dir "$odd.d"
python3 - <<'P'
import glob, json
path = sorted(glob.glob("runs/*/result.json"))[-1]
r = json.load(open(path))
words = "::a\n::error::\x1b[2J\u202e##[error]"
def spoil(v, depth=0):
    for k in v if isinstance(v, dict) else range(len(v)):
        if k in ("label", "kernel", "revision", "compiler", "flags", "message", "note", "command", "run_id", "device_name", "os",
                 "short_name", "suite", "driver"): v[k] = words
        elif isinstance(v[k], (dict, list)): spoil(v[k])
spoil(r)
json.dump(r, open("spoilt.json", "w"))
P
for format in text markdown json; do look "result file, $format" assay report spoilt.json --format $format; done
look "result file, compare" assay compare spoilt.json spoilt.json
look "result file, samples" assay report spoilt.json --samples

for key in '"a\n::error::b\e[2J"' '"\u202e"' '"a\x07b"'; do
    printf 'version: 1\nkernels:\n  %s: {operator: attention, source: a.c}\n' "$key" >keys.yaml
    look "key of a kernel" assay list --manifest keys.yaml; wc -l <err.txt
    printf 'version: 1\n%s: 1\n' "$key" >keys.yaml
    look "key" assay list --manifest keys.yaml; wc -l <err.txt
    printf 'version: 1\nkernels: {a: {operator: %s, source: a.c}}\n' "$key" >keys.yaml
    look "value" assay list --manifest keys.yaml; wc -l <err.txt
done
exit 0

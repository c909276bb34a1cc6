# slow with sanitizers
# On a terminal a line says what is at work and how long it will take, also within one problem; --quiet draws nothing.
cat >terminal.py <<'P'
import os, pty, sys
os.environ.update(TERM="xterm", COLUMNS="100")
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
said = b""
while True:
    try: data = os.read(terminal, 65536)
    except OSError: break # the end of a terminal
    if not data: break
    said += data
lines = [line.split("\r")[0] for line in said.decode(errors="replace").split("\r\x1b[K") if line.startswith("[")]
drawn = [line for line in lines if "] check 1/1 attention/" in line]
print("exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print("drawn within the problem" if drawn else "drawn: %s" % lines)
if not all(line.endswith(" left") for line in drawn): print("no time left:", drawn)
if any(len(line) > 100 for line in lines): print("wider than the terminal:", lines)
P
problem=attention/fp32/b4/h16/s1024/d64
assay build --kernel assay:simd >/dev/null
python3 terminal.py assay fuzz --kernel assay:simd --threads 1 --problem $problem
python3 terminal.py assay fuzz --kernel assay:simd --threads 1 --problem $problem --quiet

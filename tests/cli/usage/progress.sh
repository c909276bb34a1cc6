# On a terminal a line says what is at work and how long it will take, also within one problem; --quiet draws nothing.
cat >on_pty.py <<'P'
import os, pty, sys
said = bytearray()
def read(fd):
    data = os.read(fd, 65536)
    said.extend(data)
    return b""
os.environ.update(TERM="xterm", COLUMNS="100")
code = pty.spawn(sys.argv[1:], read)
text = said.decode(errors="replace")
lines = [line.split("\r")[0] for line in text.split("\r\x1b[K") if line.startswith("[")]
drawn = [line for line in lines if "check 1/1 attention/fp32/b16/h16/s1024/d64" in line]
print("exit", os.waitstatus_to_exitcode(code))
if "--quiet" in sys.argv: print("nothing drawn" if not lines else lines)
else: print("drawn within the problem" if len(drawn) >= 2 else "not drawn: %r" % text)
if drawn and not all("left" in line for line in drawn): print("no time left:", drawn)
if any(len(line) > 100 for line in lines): print("wider than the terminal")
P
problem=attention/fp32/b16/h16/s1024/d64
python3 on_pty.py assay fuzz --kernel assay:simd --problem $problem
python3 on_pty.py assay fuzz --kernel assay:simd --problem $problem --quiet --color never

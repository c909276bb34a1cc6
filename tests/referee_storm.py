#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A referee under a storm: candidates of all kinds, one after another, through its socket. Every answer has to be the right one, and
# afterwards nothing is left: no process, no file in scratch, cache or runs, no shared memory, and no memory of the server.
# usage: tests/referee_storm.py [--count 1000] [--rounds 0]     (ASSAY: the program; default build/default/assay)
import argparse, atexit, glob, json, os, pathlib, random, shutil, socket, subprocess, sys, tempfile, time

assay = os.environ.get("ASSAY", str(pathlib.Path(__file__).resolve().parent.parent / "build/default/assay"))
HEAD = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
"""
KINDS = {  # statements of `twice`, and the verdicts that are right
    "right": ("for (int i = 0; i < n; ++i) y[i] = 2 * x[i];", {"right"}),
    "slow": ("for (int k = 0; k < 200; ++k) for (int i = 0; i < n; ++i) ((volatile float *)y)[i] = 2 * x[i];", {"right"}),
    "wrong": ("for (int i = 0; i < n; ++i) y[i] = 3 * x[i];", {"wrong"}),
    "tail": ("for (int i = 0; i < n - 1; ++i) y[i] = 2 * x[i];", {"wrong"}),
    "nothing": ("(void)x; (void)y; (void)n;", {"wrong"}),
    "crash": ("(void)x; (void)n; *(volatile int *)8 = 1; y[0] = 0;", {"crashed"}),
    "exit": ("(void)x; (void)n; y[0] = 0; _exit(0);", {"crashed"}),
    "hang": ("(void)x; (void)n; for (volatile int k = 0;; k = k + 1) y[0] = 0;", {"timed_out"}),
    "memory": ("volatile char *p = malloc((size_t)50 << 30); for (size_t i = 0; i < ((size_t)50 << 30); i += 4096) p[i] = 1; y[0] = x[n - 1] + p[7];", {"crashed", "out_of_memory"}),
    "shared": ("(void)x; (void)n; char *p = mmap(0, (size_t)50 << 30, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); for (size_t i = 0; i < ((size_t)50 << 30);"
               " i += 4096) p[i] = 1; y[0] = p[9];", {"crashed", "out_of_memory"}),
    "fork": ("for (int i = 0; i < 50; ++i) if (fork() == 0) for (;;) pause(); for (int i = 0; i < n; ++i) y[i] = 3 * x[i];", {"wrong", "crashed"}),
    "files": ("FILE *f = fopen(\"/tmp/referee-storm-was-here\", \"w\"); if (f) { y[0] = 7; return; } for (int i = 0; i < n; ++i) y[i] = 2 * x[i];",
              {"right"}),
    "remembers": ("FILE *f = fopen(\"../seen\", \"r\"); float v = f ? 2 : 3; for (int i = 0; i < n; ++i) y[i] = v * x[i];", {"wrong"}),
    "syntax": ("for (;;", {"does_not_compile"}),
    "includes": ("#include \"/etc/shadow\"\n", {"does_not_compile"}),
}
BUSY = ("hang", "shared")  # kinds that take the whole of a time limit


def project(folder, memory_gb):
    folder.mkdir()
    (folder / "assay.yaml").write_text(
        'version: 1\n'
        'operators: {twice: {axes: {n: 1000}, inputs: {x: "fp32[n]"}, outputs: {y: "fp32[n]"}, reference: reference.c,\n'
        '            reference_call: "twice_reference(x, y, int n)"}}\n'
        'kernels: {mine: {operator: twice, source: mine.c, call: "twice(x, y, int n)"}}\n'
        f'limits: {{case_s: 2, memory_gb: {memory_gb}}}\nstore: none\n')
    (folder / "reference.c").write_text("void twice_reference(const double *x, double *y, int n) { for (int i = 0; i < n; ++i) y[i] = 2 * x[i]; }\n")
    (folder / "mine.c").write_text(source("right"))


def source(kind):
    return HEAD + "void twice(const float *x, float *y, int n) {\n" + KINDS[kind][0] + "\n}\n"


def ask(path, request):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(300)
        s.connect(path)
        s.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(s.makefile().readline())


def resident_kb(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def below(pid):  # its descendants
    parents = {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = open(stat).read()
        except OSError:
            continue
        parents[int(text.split()[0])] = int(text[text.rindex(")") + 2:].split()[1])
    found, changed = {pid}, True
    while changed:
        more = {child for child, parent in parents.items() if parent in found and child not in found}
        found, changed = found | more, bool(more)
    return found - {pid}


def files_below(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rounds", default="0")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="referee-storm-"))
    draw, complaints = random.Random(options.seed), []
    (work / "tmp").mkdir()
    project(work / "project", 1)
    env = {**os.environ, "TMPDIR": str(work / "tmp"), "XDG_CACHE_HOME": str(work / "cache"), "ASSAY_STORE": "none"}
    path = str(work / "s")
    shm = set(os.listdir("/dev/shm"))
    server = subprocess.Popen([assay, "referee", "twice", "--problem", "twice/n1,twice/n1000", "--rounds", options.rounds, "--time-limit", "20s",
                               "--listen", path], cwd=work / "project", env=env, stdout=subprocess.PIPE, text=True)
    atexit.register(server.kill)
    server.stdout.readline()
    kinds, started, first_kb, early = list(KINDS), time.time(), 0, []
    hanging = []
    for number in range(options.count):
        kind = kinds[number % len(kinds)] if number < len(kinds) else draw.choice(kinds if number % 4 == 0 else [k for k in kinds if k not in BUSY])
        if number % 5 == 0:  # one that says nothing, one that drips, one that goes away
            for text in (b"", b'{"candi', json.dumps({"source": source("hang"), "file": "gone.c"}).encode() + b"\n"):
                s = socket.socket(socket.AF_UNIX)
                s.connect(path)
                s.sendall(text)
                hanging.append(s)
            hanging.pop().close()
            hanging, old = hanging[-20:], hanging[:-20]
            for s in old:
                s.close()
        answer = ask(path, {"source": source(kind), "file": "mine.c", "name": f"{number}-{kind}"})
        if answer.get("verdict") not in KINDS[kind][1]:
            complaints.append(f"{number} {kind}: " + str([answer.get(k) for k in ('verdict', 'error', 'sentence', 'all_s')]))
        if number == len(kinds):
            first_kb, early = resident_kb(server.pid), files_below(work)
        if number % 50 == 49:
            print(f"{number + 1} of {options.count}, {(time.time() - started) / (number + 1):.2f} s each, {resident_kb(server.pid)} kB, "
                  f"{len(complaints)} wrong", flush=True)
    for bad in (b"nonsense\n", b"{}\n", b"\x00\n", b'{"source": "x", "file": "../x.c"}\n'):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(path)
            s.sendall(bad)
            if json.loads(s.makefile().readline()).get("exit_code") != 65:
                complaints.append(f"not refused: {bad}")
    for s in hanging:
        s.close()
    time.sleep(1)
    last_kb, late = resident_kb(server.pid), files_below(work)
    if below(server.pid):
        complaints.append(f"processes are left: {below(server.pid)}")
    grown = [name for name in late if name not in early and not name.startswith("cache/assay/referee/")]
    if early and grown:
        complaints.append(f"{len(grown)} files are left, such as {grown[:5]}")
    is_kept_back = "ASAN_OPTIONS" in os.environ  # what is freed is not given back at once
    if first_kb and not is_kept_back and last_kb > first_kb + 4096:
        complaints.append(f"the server grew from {first_kb} to {last_kb} kB")
    if set(os.listdir("/dev/shm")) - shm:
        complaints.append(f"shared memory is left: {set(os.listdir('/dev/shm')) - shm}")
    server.terminate()
    if server.wait(20) != 0:
        complaints.append(f"the server ended with {server.returncode}")
    if os.path.exists(path) or files_below(work / "tmp"):
        complaints.append(f"the socket or scratch is left: {files_below(work / 'tmp')[:5]}")
    shutil.rmtree(work, ignore_errors=True)
    for line in complaints[:20]:
        print(line)
    print(f"{options.count} candidates in {time.time() - started:.0f} s, {len(complaints)} complaints, server {first_kb} to {last_kb} kB")
    return 1 if complaints else 0


sys.exit(main())

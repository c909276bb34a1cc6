# No reference's process lives while a kernel runs, not even in a check: a kernel in the judge's own process, whose child it would be,
# looks for it at each launch. The second one has a child, so that we know that it looks well.
. "$ASSAY_SOURCE/tests/cli/operators/_declared.sh"
declare_twice
looks='#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int count_children(void) {
    int count = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[300], state = 0;
        int parent = 0;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = atoi(entry->d_name) ? fopen(path, "r") : NULL;
        if (!file) continue;
        count += fscanf(file, "%*d (%*[^)]) %c %d", &state, &parent) == 2 && parent == getpid();
        fclose(file);
    }
    closedir(folder);
    return count;
}'
run() { # a command, and the kernel is right as long as nobody is there
    kernel "${begin-}"'const int factor = count_children() ? 3 : 2; for (int i = 0; i < n; ++i) y[i] = factor * x[i];' "$looks"
    assay "$@" --kernel mine --isolation none --problem twice/n1000 >out 2>&1; code=$?
    [ "$1 $code" = "bench 3" ] && code=0 # right, and the machine was busy
    echo "$1: $code"
}
run fuzz
run bench --rounds 2 --iters 10
begin='static int launches; if (++launches == 2 && !fork()) { sleep(3); _exit(0); } ' run fuzz
# One in Python waits for the next case where nothing is timed, and has ended where something is.
if command -v python3 >/dev/null && [ -e "$(dirname "$(readlink -f "$ASSAY")")/libassay_worker.so" ]; then
    sed -i 's/reference.c/reference.py/' assay.yaml
    printf 'def reference(x, y, n):\n    x, y = (t.memory().cast("d" if t.itemsize == 8 else "f") for t in (x, y))\n    for i in range(n): y[i] = 2 * x[i]\n' >reference.py
    begin='' run bench --rounds 2 --iters 10
else
    echo "bench: 0"
fi

# A kernel's process may have 8192 threads, and one more ends it with a sentence; nothing is left, and the next kernel runs.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
# Threads that sleep, made in the first launch, until the process has so many: what it has already counts.
# The launch waits until all of them sleep: a thread that starts after it would be late work.
sed -i 's|^static int supports|static atomic_long resting;\nstatic void *rest(void *unused) {\n    atomic_fetch_add(\&resting, 1);\n    for (;;) pause();\n    return unused;\n}\nstatic long thread_count(void) {\n    char text[4096] = "";\n    FILE *status = fopen("/proc/self/status", "r");\n    size_t got = status ? fread(text, 1, sizeof text - 1, status) : 0;\n    if (status) fclose(status);\n    return got ? atol(strstr(text, "Threads:") + 8) : 0;\n}\nstatic int fill(long most) {\n    pthread_attr_t small;\n    pthread_t thread;\n    pthread_attr_init(\&small);\n    pthread_attr_setstacksize(\&small, 262144);\n    long made = 0;\n    for (long count = thread_count(); count < most; ++count, ++made)\n        if (pthread_create(\&thread, \&small, rest, NULL) != 0) return 1;\n    while (made > 0 \&\& atomic_load(\&resting) < made) sched_yield();\n    return 0;\n}\n&|' csrc/mine.c
cp csrc/mine.c ../plain.c
try() {
    cp ../plain.c csrc/mine.c
    in_each_launch "if (fill($1)) return assay_say(message, ASSAY_FAILED, \"no more threads here\");" pthread.h sched.h stdatomic.h stdio.h stdlib.h string.h unistd.h
    assay fuzz --kernel mine --suite tiny --color never >../report 2>&1
    echo "exit $?"
    grep -oE 'launch_failed.*|its process.*|1/1 mine' ../report | head -1 | grep . || head -4 ../report
}
try 8192 >../inside
if grep -q "no more threads here" ../inside; then echo "SKIPPED: this machine has not room for 8192 threads"; exit 0; fi
cat ../inside
try 8193
cp ../plain.c csrc/mine.c
assay fuzz --kernel mine --suite tiny --color never 2>&1 | grep -o '1/1 mine'
no_workers

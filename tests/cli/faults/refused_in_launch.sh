# A call that the sandbox refuses in a launch (lazy initialisation) gets the hint that one in prepare gets, and says that it was refused. What failed
# for another reason, with a sentence of its own, gets none. Without isolation the calls work.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
cp csrc/mine.c ../plain.c
try() { # $1: what; $2: statements; others: headers
    cp ../plain.c csrc/mine.c
    in_each_launch "${@:2}"
    printf '%s: ' "$1"
    assay fuzz --kernel mine --suite tiny --color never 2>&1 | grep -oE 'launch_failed: .*|1/1 mine|CRASHED.*' | head -1
}
try popen 'FILE *pipe = popen("true", "r"); if (!pipe) return ASSAY_FAILED; pclose(pipe);' stdio.h
try shm_open 'int fd = shm_open("/assay-test-mine", O_RDWR | O_CREAT, 0600); if (fd < 0) return assay_say(message, ASSAY_FAILED, "no shared memory");' sys/mman.h fcntl.h
try semget 'if (semget(IPC_PRIVATE, 1, 0600 | IPC_CREAT) < 0) return ASSAY_FAILED;' sys/sem.h
try timer_create 'timer_t timer; if (timer_create(CLOCK_MONOTONIC, NULL, &timer) < 0) return ASSAY_FAILED;' time.h signal.h
try flock 'if (flock(open("/etc/passwd", O_RDONLY), LOCK_EX) < 0) return ASSAY_FAILED;' sys/file.h fcntl.h
try "no file, and no words" 'if (open("/usr/none", O_RDONLY) < 0) return ASSAY_FAILED;' fcntl.h
try "no file, and words" 'if (open("/usr/none", O_RDONLY) < 0) return assay_say(message, ASSAY_FAILED, "no table");' fcntl.h
try nothing ''
echo "== without isolation"
cp ../plain.c csrc/mine.c
in_each_launch 'FILE *pipe = popen("true", "r"); if (!pipe) return ASSAY_FAILED; pclose(pipe);' stdio.h
assay fuzz --kernel mine --suite tiny --isolation none --color never 2>&1 | grep -oE '1/1 mine'

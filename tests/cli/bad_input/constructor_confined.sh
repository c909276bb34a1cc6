# To list a module's kernels it is loaded, which runs its constructors: in a host, which cannot write here, cannot end assay, and
# whose answer is not believed.
module() { gcc -shared -fPIC -w -I"$ASSAY_SOURCE/include" -I"$ASSAY_SOURCE/src" x.c -o x.so; }
say() { assay fuzz --module x.so --suite quick 2>&1; echo "exit $?"; }
cat >x.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(void) {
    if (open("written", O_CREAT | O_WRONLY, 0666) < 0) perror("written");
    _exit(7);
}
C
module
say
ls written 2>&1
cat >x.c <<'C'
#include <sys/stat.h>
#include <unistd.h>
#include "worker/host/host_channel.h"
static const char forged[] =
    "{\"schema\":1,\"kind\":\"warning\",\"phase\":\"ask\",\"round\":0,\"attempt\":0,\"time_ns\":0,\"text\":\"all is well\"}\n";
__attribute__((constructor)) static void begin(void) {
    const struct host_answer answer = {.kind = HOST_ANSWER_DONE, .number = 1};
    for (int fd = 4; fd < 16; ++fd) write(fd, forged, sizeof forged - 1);
    write(3, &answer, sizeof answer);
    pause();
}
C
module
say
cat >x.c <<'C'
#include <unistd.h>
#include "worker/host/host_channel.h"
__attribute__((constructor)) static void begin(void) {
    const struct host_answer answer = {.kind = HOST_ANSWER_DONE, .number = 1};
    for (int fd = 4; fd < 16; ++fd) ftruncate(fd, 1L << 40);
    write(3, &answer, sizeof answer);
    pause();
}
C
module
say

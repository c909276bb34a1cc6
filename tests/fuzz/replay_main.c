// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target over files and folders given on the command line, without a fuzzer: every input that was
// ever interesting stays a test. Exits 66 when nothing was given or a file cannot be read.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int replay_file(const char *path, int *ret_count) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "replay: cannot open '%s'\n", path);
        return 66;
    }
    uint8_t *bytes = NULL;
    size_t count = 0, got = 1;
    while (got > 0) {
        bytes = realloc(bytes, count + 65536);
        if (!bytes) abort();
        got = fread(bytes + count, 1, 65536, file);
        count += got;
    }
    fclose(file);
    // A block of exactly that size, so that reading past the end is seen by the sanitizer.
    uint8_t *exact = malloc(count ? count : 1);
    if (!exact) abort();
    if (count) memcpy(exact, bytes, count);
    free(bytes);
    LLVMFuzzerTestOneInput(exact, count);
    free(exact);
    ++*ret_count;
    return 0;
}

static int replay_path(const char *path, int *ret_count) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return replay_file(path, ret_count);
    DIR *dir = opendir(path);
    int result = dir ? 0 : 66;
    for (struct dirent *item; dir && result == 0 && (item = readdir(dir));) {
        if (item->d_name[0] == '.') continue;
        char *inner = malloc(strlen(path) + strlen(item->d_name) + 2);
        if (!inner) abort();
        sprintf(inner, "%s/%s", path, item->d_name);
        result = replay_path(inner, ret_count);
        free(inner);
    }
    if (dir) closedir(dir);
    return result;
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; ++i) {
        const int result = replay_path(argv[i], &count);
        if (result != 0) return result;
    }
    printf("replayed %d inputs\n", count);
    return count > 0 ? 0 : 66;
}

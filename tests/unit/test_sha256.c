// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 against the examples of NIST and against the system's sha256sum, whole and in pieces.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sha256.h"

static void hold(const void *bytes, size_t count, const char *expected) {
    char hex[SHA256_HEX_BYTES];
    for (size_t piece = 1; piece <= 130; piece += 43) { // 1, 44, 87, 130
        struct sha256 sha = sha256_make();
        for (size_t at = 0; at < count; at += piece)
            sha256_add(&sha, (const char *)bytes + at, piece < count - at ? piece : count - at);
        sha256_hex(sha, hex);
        assert_string_equal(hex, expected);
    }
}

static void test_examples(void **state) {
    (void)state;
    hold("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hold("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hold("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    assert_non_null(million);
    memset(million, 'a', 1000000);
    hold(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

// Every length around the ends of blocks.
static void test_lengths(void **state) {
    (void)state;
    char path[] = "/tmp/assay-sha256-XXXXXX", bytes[200], line[64 + 32], expected[SHA256_HEX_BYTES];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (char)(i * 37);
    for (size_t count = 0; count <= sizeof bytes; count += count % 64 > 50 || count % 64 < 4 ? 1 : 23) {
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, bytes, count, 0), count);
        snprintf(line, sizeof line, "sha256sum <%s", path);
        FILE *pipe = popen(line, "r");
        assert_non_null(pipe);
        assert_int_equal(fread(expected, 1, 64, pipe), 64);
        expected[64] = 0;
        pclose(pipe);
        hold(bytes, count, expected);
        char hex[SHA256_HEX_BYTES];
        assert_int_equal(sha256_file_hex(path, hex, NULL), 0);
        assert_string_equal(hex, expected);
    }
    close(fd);
    unlink(path);
    struct err err = {0};
    assert_int_equal(sha256_file_hex(path, expected, &err), -ERR_NO_INPUT);
    assert_int_equal(sha256_file_hex("/", expected, &err), -ERR_NO_INPUT);
}

// Texts and numbers end where they end.
static void test_parts(void **state) {
    (void)state;
    char a[SHA256_HEX_BYTES], b[SHA256_HEX_BYTES];
    struct sha256 one = sha256_make(), two = sha256_make();
    sha256_add_text(&one, "ab");
    sha256_add_text(&one, "c");
    sha256_add_text(&two, "a");
    sha256_add_text(&two, "bc");
    sha256_hex(one, a);
    sha256_hex(two, b);
    assert_string_not_equal(a, b);
    one = two = sha256_make();
    sha256_add_u64(&one, UINT64_C(0x0807060504030201));
    sha256_add(&two, "\1\2\3\4\5\6\7\10", 8);
    sha256_hex(one, a);
    sha256_hex(two, b);
    assert_string_equal(a, b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Connections of the server: how long each part may take, how many a client may have, and which one goes
// where there is no room.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "serve/connections.h"

enum { MOST = 6, MOST_OF_A_CLIENT = 3 };
static const uint64_t S = 1000000000u, BEGIN_NS = 5000000000u;

static const struct connection_limits limits = {
    .count_max = MOST,
    .client_max = MOST_OF_A_CLIENT,
    .head_ns = UINT64_C(10) * 1000000000u,
    .body_ns = UINT64_C(60) * 1000000000u,
    .body_idle_ns = UINT64_C(15) * 1000000000u,
    .answer_ns = UINT64_C(30) * 1000000000u,
};

struct one {
    struct connection *connection;
    int ends[2];
};

static struct one added(struct connections *all, const char *address, uint64_t now_ns) {
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct one one;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, one.ends), 0);
    if (strchr(address, ':')) {
        assert_int_equal(inet_pton(AF_INET6, address, &v6.sin6_addr), 1);
        one.connection = connections_add(all, one.ends[0], (const struct sockaddr *)&v6, now_ns);
    } else {
        assert_int_equal(inet_pton(AF_INET, address, &v4.sin_addr), 1);
        one.connection = connections_add(all, one.ends[0], (const struct sockaddr *)&v4, now_ns);
    }
    return one;
}

static bool is_ended(const struct one *one) {
    char byte;
    return recv(one->ends[1], &byte, 1, MSG_DONTWAIT) == 0;
}

static void removed(struct connections *all, struct one *ones, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        connections_remove(all, ones[i].connection);
        close(ones[i].ends[0]);
        close(ones[i].ends[1]);
    }
    connections_free(all);
}

// A connection in that wait is not ended after so long, but a nanosecond later it is.
static void ends_after(enum connection_wait wait, uint64_t limit_ns) {
    struct connections *all = connections_new(&limits);
    struct one one = added(all, "192.0.2.1", BEGIN_NS);
    connections_wait(all, one.connection, wait, 0, BEGIN_NS + S);
    connections_end_late(all, BEGIN_NS + S + limit_ns);
    assert_false(is_ended(&one));
    connections_end_late(all, BEGIN_NS + S + limit_ns + 1);
    assert_true(is_ended(&one));
    removed(all, &one, 1);
}

static void each_part_has_its_time(void **state) {
    (void)state;
    ends_after(CONNECTION_FIRST_HEAD, limits.head_ns);
    ends_after(CONNECTION_NEXT_HEAD, limits.head_ns);
    ends_after(CONNECTION_BODY, limits.body_idle_ns);
    ends_after(CONNECTION_DROPPED_BODY, limits.body_idle_ns);
    ends_after(CONNECTION_ANSWER, limits.answer_ns);
}

static void a_body_that_drips_has_its_time_too(void **state) {
    (void)state;
    struct connections *all = connections_new(&limits);
    struct one one = added(all, "192.0.2.1", BEGIN_NS);
    connections_wait(all, one.connection, CONNECTION_BODY, 0, BEGIN_NS);
    for (uint64_t at_ns = BEGIN_NS; at_ns <= BEGIN_NS + limits.body_ns; at_ns += S) {
        connections_add_bytes(all, one.connection, 1, at_ns);
        connections_end_late(all, at_ns);
        assert_false(is_ended(&one));
    }
    connections_end_late(all, BEGIN_NS + limits.body_ns + 1);
    assert_true(is_ended(&one));
    removed(all, &one, 1);
}

static void the_server_has_any_time(void **state) {
    (void)state;
    struct connections *all = connections_new(&limits);
    struct one one = added(all, "192.0.2.1", BEGIN_NS);
    connections_wait(all, one.connection, CONNECTION_SERVER, 0, BEGIN_NS);
    connections_end_late(all, BEGIN_NS + 3600 * S);
    assert_false(is_ended(&one));
    removed(all, &one, 1);
}

// With one more than a client may have, its own oldest head goes. Nobody else's.
static void a_client_has_so_many(void **state) {
    (void)state;
    struct connections *all = connections_new(&limits);
    struct one ones[5];
    ones[0] = added(all, "192.0.2.9", BEGIN_NS); // older than all
    for (uint64_t i = 1; i <= MOST_OF_A_CLIENT; ++i) ones[i] = added(all, "192.0.2.1", BEGIN_NS + i);
    for (int i = 0; i <= MOST_OF_A_CLIENT; ++i) assert_false(is_ended(&ones[i]));
    ones[4] = added(all, "192.0.2.1", BEGIN_NS + 9);
    assert_true(is_ended(&ones[1]));
    for (int i = 0; i <= 4; ++i)
        if (i != 1) assert_false(is_ended(&ones[i]));
    assert_false(connections_is_surplus(all, ones[4].connection));
    removed(all, ones, 5);
}

static void who_waits_for_the_server_stays(void **state) {
    (void)state;
    struct connections *all = connections_new(&limits);
    struct one ones[MOST_OF_A_CLIENT + 2];
    for (int i = 0; i < MOST_OF_A_CLIENT; ++i) {
        ones[i] = added(all, "192.0.2.1", BEGIN_NS);
        connections_wait(all, ones[i].connection, CONNECTION_SERVER, 0, BEGIN_NS);
        assert_false(connections_is_surplus(all, ones[i].connection));
    }
    ones[3] = added(all, "192.0.2.1", BEGIN_NS + S);
    assert_true(connections_is_surplus(all, ones[3].connection)); // to be refused, in words
    ones[4] = added(all, "192.0.2.2", BEGIN_NS + S);
    assert_false(connections_is_surplus(all, ones[4].connection));
    for (int i = 0; i < 5; ++i) assert_false(is_ended(&ones[i]));
    removed(all, ones, 5);
}

// An address by which a proxy comes has as many as there are, unless a number was asked for.
static void this_machine_is_many_clients(void **state) {
    (void)state;
    for (int has_loopback = 0; has_loopback < 2; ++has_loopback)
        for (int is_v6 = 0; is_v6 < 2; ++is_v6) {
            struct connection_limits own = limits;
            own.has_loopback = has_loopback;
            struct connections *all = connections_new(&own);
            struct one ones[MOST_OF_A_CLIENT + 1];
            for (int i = 0; i <= MOST_OF_A_CLIENT; ++i)
                ones[i] = added(all, is_v6 ? "::1" : "127.0.0.1", BEGIN_NS);
            int ended = 0;
            for (int i = 0; i <= MOST_OF_A_CLIENT; ++i) ended += is_ended(&ones[i]);
            assert_int_equal(ended, has_loopback);
            removed(all, ones, MOST_OF_A_CLIENT + 1);
        }
}

static void a_network_is_one_client(void **state) {
    (void)state;
    static const struct {
        const char *addresses[MOST_OF_A_CLIENT + 1];
        bool is_one;
    } cases[] = {
        {{"2001:db8::1", "2001:db8::2", "2001:db8::ffff:1:2", "2001:db8:0:0:9::"}, true},
        {{"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"}, false},
        {{"::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1"}, true},
        {{"::ffff:192.0.2.1", "::ffff:192.0.2.2", "::ffff:192.0.2.1", "::ffff:192.0.2.1"}, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        struct connections *all = connections_new(&limits);
        struct one ones[MOST_OF_A_CLIENT + 1];
        for (int i = 0; i <= MOST_OF_A_CLIENT; ++i) ones[i] = added(all, cases[k].addresses[i], BEGIN_NS);
        int ended = 0;
        for (int i = 0; i <= MOST_OF_A_CLIENT; ++i) ended += is_ended(&ones[i]);
        assert_int_equal(ended, cases[k].is_one);
        removed(all, ones, MOST_OF_A_CLIENT + 1);
    }
}

// ---- no room at all ----

// A table that is full, of clients with one, two and three connections.
static struct connections *made_full(struct one ones[MOST + 1]) {
    static const char *const addresses[MOST] = {"192.0.2.1", "192.0.2.2", "192.0.2.2",
                                                "192.0.2.3", "192.0.2.3", "192.0.2.3"};
    struct connections *all = connections_new(&limits);
    for (uint64_t i = 0; i < MOST; ++i) ones[i] = added(all, addresses[i], BEGIN_NS + i);
    return all;
}

// Which one goes for a new one, a minute later; -1: none.
static int gone(struct connections *all, struct one ones[MOST + 1]) {
    int found = -1;
    ones[MOST] = added(all, "192.0.2.4", BEGIN_NS + 60 * S);
    for (int i = 0; i <= MOST; ++i)
        if (is_ended(&ones[i])) {
            assert_int_equal(found, -1);
            found = i;
        }
    assert_int_equal(connections_is_surplus(all, ones[MOST].connection), found < 0);
    removed(all, ones, MOST + 1);
    return found;
}

static void who_holds_most_goes_first(void **state) {
    (void)state;
    struct one ones[MOST + 1];
    struct connections *all = made_full(ones);
    assert_int_equal(gone(all, ones), 3);
    all = made_full(ones);
    for (int i = 3; i < MOST; ++i) connections_wait(all, ones[i].connection, CONNECTION_SERVER, 0, BEGIN_NS);
    assert_int_equal(gone(all, ones), 1);
    all = made_full(ones);
    for (int i = 0; i < MOST; ++i) connections_wait(all, ones[i].connection, CONNECTION_SERVER, 0, BEGIN_NS);
    assert_int_equal(gone(all, ones), -1);
}

// A connection that had an answer before goes after those that never asked for anything.
static void heads_go_before_others(void **state) {
    (void)state;
    static const enum connection_wait in_order[] = {CONNECTION_FIRST_HEAD, CONNECTION_DROPPED_BODY,
                                                    CONNECTION_NEXT_HEAD, CONNECTION_BODY, CONNECTION_ANSWER};
    for (size_t k = 1; k < sizeof in_order / sizeof *in_order; ++k) {
        struct one ones[MOST + 1];
        struct connections *all = made_full(ones);
        connections_wait(all, ones[3].connection, in_order[k], 0, BEGIN_NS);
        connections_wait(all, ones[4].connection, in_order[k], 0, BEGIN_NS);
        connections_wait(all, ones[5].connection, in_order[k - 1], 0, BEGIN_NS + 50 * S); // the latest
        assert_int_equal(gone(all, ones), 5);
    }
}

// At the rate, with a second to begin, it stays; a byte less, and it goes.
static void a_quick_body_stays(void **state) {
    (void)state;
    for (size_t missing = 0; missing < 2; ++missing) {
        struct one ones[MOST + 1];
        struct connections *all = made_full(ones);
        for (int i = 0; i < MOST; ++i) {
            connections_wait(all, ones[i].connection, CONNECTION_SERVER, 0, BEGIN_NS);
            if (i > 3)
                connections_wait(all, ones[i].connection, i == 4 ? CONNECTION_BODY : CONNECTION_ANSWER,
                                 i == 4 ? 0 : (size_t)59 * CONNECTION_SLOW_BYTES, BEGIN_NS);
        }
        connections_add_bytes(all, ones[4].connection, (size_t)59 * CONNECTION_SLOW_BYTES - missing,
                              BEGIN_NS + 60 * S);
        assert_int_equal(gone(all, ones), missing ? 4 : -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_has_its_time),
        cmocka_unit_test(a_body_that_drips_has_its_time_too),
        cmocka_unit_test(the_server_has_any_time),
        cmocka_unit_test(a_client_has_so_many),
        cmocka_unit_test(who_waits_for_the_server_stays),
        cmocka_unit_test(this_machine_is_many_clients),
        cmocka_unit_test(a_network_is_one_client),
        cmocka_unit_test(who_holds_most_goes_first),
        cmocka_unit_test(heads_go_before_others),
        cmocka_unit_test(a_quick_body_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

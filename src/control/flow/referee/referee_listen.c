// SPDX-License-Identifier: Apache-2.0
//
// See referee_listen.h.
#include "control/flow/referee/referee_listen.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "control/flow/referee/referee_child.h"
#include "control/flow/referee/referee_line.h"
#include "control/flow/referee/referee_socket.h"

#define DRIP_NS     UINT64_C(30000000000) // for the rest of a line, and to take an answer
#define LOOK_MS     200
#define BUFFER_SIZE 65536

enum client_state {
    CLIENT_READING = 0, // of a request there may be a part
    CLIENT_WAITING,     // for its turn
    CLIENT_JUDGED,      // its candidate is tried
    CLIENT_WRITING,
};

struct client {
    int fd; // -1: a free place
    enum client_state state;
    struct strbuf in, out;
    size_t sent;
    bool has_ended, is_last; // it sends no more; it is closed after this answer
    uint64_t since_ns;       // in this state, or since its last byte
    uint64_t ticket;         // of its turn
};

struct listening {
    const struct referee_server *server;
    int fd;
    uint64_t tickets;
    struct client clients[REFEREE_CLIENTS_MAX];
};

// ---- clients ----

static void client_set(struct client *client, enum client_state state) {
    client->state = state;
    client->since_ns = clock_ns();
}

static void client_close(struct client *client) {
    if (client->fd >= 0) close(client->fd);
    strbuf_fini(&client->in);
    strbuf_fini(&client->out);
    *client = (struct client){.fd = -1};
}

static void client_answer(struct client *client, struct strbuf *line) {
    strbuf_fini(&client->out);
    client->out = *line;
    *line = (struct strbuf){0};
    client->sent = 0;
    client_set(client, CLIENT_WRITING);
}

static void client_refuse(struct client *client, const char *sentence, int exit_code) {
    struct strbuf line = {0};
    referee_child_error(sentence, exit_code, &line);
    client->is_last = true;
    client_answer(client, &line);
}

// A whole line waits for its turn. What follows it stays, and the client may send no more meanwhile than its
// socket holds.
static void client_find_line(struct listening *listening, struct client *client) {
    if (client->state != CLIENT_READING) return;
    const char *text = strbuf_text(&client->in);
    if (memchr(text, '\n', client->in.length)) {
        client->ticket = ++listening->tickets;
        client_set(client, CLIENT_WAITING);
    } else if (client->in.length > REFEREE_LINE_BYTES) {
        client_refuse(client, "a request is one line of at most 4 MiB", 65);
    } else if (client->has_ended) {
        client_close(client);
    }
}

static void client_read(struct listening *listening, struct client *client) {
    static char buffer[BUFFER_SIZE];
    const ssize_t count = read(client->fd, buffer, sizeof buffer);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count < 0) {
        client_close(client);
        return;
    }
    if (count == 0) client->has_ended = true;
    if (!client->in.length) client->since_ns = clock_ns(); // a line has so long from its first byte
    strbuf_add_bytes(&client->in, buffer, (size_t)count);
    client_find_line(listening, client);
}

static void client_write(struct listening *listening, struct client *client) {
    const char *text = strbuf_text(&client->out) + client->sent;
    const ssize_t count =
        send(client->fd, text, client->out.length - client->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count < 0) {
        client_close(client);
        return;
    }
    client->sent += (size_t)count;
    if (client->sent < client->out.length) return;
    strbuf_fini(&client->out);
    if (client->is_last) {
        client_close(client);
        return;
    }
    client_set(client, CLIENT_READING);
    client_find_line(listening, client);
}

// ---- all of them ----

static struct client *find_place(struct listening *listening) {
    struct client *idle = NULL;
    for (size_t i = 0; i < listening->server->client_most; ++i) {
        struct client *client = &listening->clients[i];
        if (client->fd < 0) return client;
        if (client->state == CLIENT_READING && (!idle || client->since_ns < idle->since_ns)) idle = client;
    }
    if (idle) client_close(idle); // the one that has asked nothing for longest
    return idle;
}

static void accept_client(struct listening *listening) {
    const int fd = accept4(listening->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    struct client *client = find_place(listening);
    if (client) {
        *client = (struct client){.fd = fd};
        client_set(client, CLIENT_READING);
        return;
    }
    struct strbuf line = {0};
    referee_child_error("the queue is full: ask again later", 75, &line);
    (void)!send(fd, strbuf_text(&line), line.length, MSG_NOSIGNAL | MSG_DONTWAIT);
    strbuf_fini(&line);
    close(fd);
}

static void tend_client(struct listening *listening, struct client *client, short events) {
    const bool is_slow = clock_ns() - client->since_ns > DRIP_NS;
    if (events & (POLLERR | POLLHUP)) {
        client_close(client); // it is gone, with what it asked
        return;
    }
    if (events & POLLIN) client_read(listening, client);
    if (client->fd >= 0 && (events & POLLOUT)) client_write(listening, client);
    if (client->fd < 0 || !is_slow) return;
    if (client->state == CLIENT_WRITING || (client->state == CLIENT_READING && client->in.length))
        client_close(client);
}

static void tend(struct listening *listening, int wait_ms) {
    struct pollfd polls[REFEREE_CLIENTS_MAX + 1] = {{.fd = listening->fd, .events = POLLIN}};
    const size_t count = listening->server->client_most;
    for (size_t i = 0; i < count; ++i) {
        const struct client *client = &listening->clients[i];
        polls[i + 1].fd = client->fd;
        if (client->state == CLIENT_READING && !client->has_ended) polls[i + 1].events = POLLIN;
        if (client->state == CLIENT_WRITING) polls[i + 1].events = POLLOUT;
    }
    if (poll(polls, count + 1, wait_ms) <= 0)
        for (size_t i = 0; i <= count; ++i) polls[i].revents = 0;
    for (size_t i = 0; i < count; ++i)
        if (listening->clients[i].fd >= 0 && listening->clients[i].fd == polls[i + 1].fd)
            tend_client(listening, &listening->clients[i], polls[i + 1].revents);
    if (polls[0].revents & POLLIN) accept_client(listening);
}

// ---- turns ----

static struct client *next_client(struct listening *listening) {
    struct client *ret = NULL;
    for (size_t i = 0; i < listening->server->client_most; ++i) {
        struct client *client = &listening->clients[i];
        if (client->fd >= 0 && client->state == CLIENT_WAITING && (!ret || client->ticket < ret->ticket))
            ret = client;
    }
    return ret;
}

// While a candidate is tried: false when it need not go on, because who asked is gone, or the server ends.
struct turn {
    struct listening *listening;
    struct client *client;
    uint64_t ticket;
};

static bool turn_goes_on(void *arg) {
    const struct turn *turn = arg;
    tend(turn->listening, 0);
    return turn->client->fd >= 0 && turn->client->ticket == turn->ticket && !interrupt_is_set();
}

static void take_turn(struct listening *listening, struct client *client) {
    const struct referee_server *server = listening->server;
    struct turn turn = {listening, client, client->ticket};
    struct strbuf answer = {0};
    const char *text = strbuf_text(&client->in);
    const size_t length = (size_t)((const char *)memchr(text, '\n', client->in.length) - text);
    char *line = mem_format("%.*s", (int)length, text);
    const size_t kept = strlen(line); // shorter where a zero byte is inside, which is no JSON
    struct strbuf rest = {0};
    strbuf_add_bytes(&rest, text + length + 1, client->in.length - length - 1);
    strbuf_fini(&client->in);
    client->in = rest;
    client_set(client, CLIENT_JUDGED);
    referee_child_judge(server, line, kept, turn_goes_on, &turn, &answer);
    if (client->fd >= 0 && client->ticket == turn.ticket) client_answer(client, &answer);
    strbuf_fini(&answer);
    free(line);
}

// What a candidate's processes leave to their next of kin, which is this server, once they have been ended.
static void reap(void) {
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

int referee_listen(const struct referee_server *server, struct err *err) {
    struct listening *listening = mem_alloc(sizeof *listening);
    *listening = (struct listening){.server = server, .fd = -1};
    for (size_t i = 0; i < REFEREE_CLIENTS_MAX; ++i) listening->clients[i].fd = -1;
    const int code = referee_socket_listen(server->socket, &listening->fd, err);
    if (code == 0) server->on_ready(server);
    while (code == 0 && !interrupt_is_set()) {
        struct client *client = next_client(listening);
        tend(listening, client ? 0 : LOOK_MS);
        client = next_client(listening);
        if (client) take_turn(listening, client);
        reap();
    }
    for (size_t i = 0; i < REFEREE_CLIENTS_MAX; ++i) client_close(&listening->clients[i]);
    if (code == 0) {
        close(listening->fd);
        unlink(server->socket);
    }
    free(listening);
    return code;
}

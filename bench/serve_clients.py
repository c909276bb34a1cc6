#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of `assay serve` on this machine, for bench/serve_load.sh. Fails on any answer but 200 and 201, on a connection that breaks, and
on an upload that was taken and is not there; where 95 % of the first pages take longer than a second; and where connections that drip shut
out another client for more than two.

serve_clients.py load URL SECONDS READERS WRITERS TOKEN RESULT   each asks without a pause; RESULT: what a writer sends, under other names
serve_clients.py drip URL SECONDS CONNECTIONS                    as many heads that never end, a byte a second, and one client who asks"""
import http.client
import json
import random
import select
import socket
import sys
import threading
import time
import urllib.parse

ANSWER_S = 300  # what a client waits for: nobody is dropped because others were before him
FIRST_PAGE = ("/", "/assets/dashboard.js", "/assets/dashboard.css", "/assets/page_changes.js", "/api/v1/facets", "/api/v1/changes?limit=50")
SWITCH_S = 0.0005  # a thread of Python that has its answer is to say so at once
SHUT_OUT_S = 2.0
FIRST_PAGE_S = 1.0


class Figures:
    def __init__(self):
        self.lock = threading.Lock()
        self.seconds = {}
        self.dropped = []

    def add(self, kind, seconds):
        with self.lock:
            self.seconds.setdefault(kind, []).append(seconds)

    def drop(self, what):
        with self.lock:
            self.dropped.append(what)

    def quantile(self, kind, share):
        ordered = sorted(self.seconds[kind])
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def show(self):
        for kind, seconds in sorted(self.seconds.items()):
            print(f"{kind}: {len(seconds)}, half within {self.quantile(kind, 0.5):.3f} s, 95 % within {self.quantile(kind, 0.95):.3f} s, "
                  f"all within {max(seconds):.3f} s")


class Client:
    """One connection, kept between requests."""

    def __init__(self, host, figures):
        self.figures = figures
        self.connection = http.client.HTTPConnection(host, timeout=ANSWER_S)

    def ask(self, method, path, body=None, headers=None):
        """The answer's bytes, or None: it was dropped."""
        try:
            self.connection.request(method, path, body, headers or {})
            answer = self.connection.getresponse()
            data = answer.read()
            if answer.status in (200, 201):
                return data
            self.figures.drop(f"{method} {path}: {answer.status} {data[:200]}")
        except (OSError, http.client.HTTPException) as error:
            self.figures.drop(f"{method} {path}: {error!r}")
        self.connection.close()
        return None


def other_queries(client):
    """What readers go on with, from what the store has."""
    rows = json.loads(client.ask("GET", "/api/v1/problems?limit=1000"))["problems"]
    runs = json.loads(client.ask("GET", "/api/v1/runs?limit=20"))["runs"]

    def row():
        return random.choice(rows)

    def history():
        one = row()
        return "/api/v1/history?" + urllib.parse.urlencode({"problem": one["problem"], "side": one["side"], "limit": 1000})

    return {
        "a history": history,
        "the runs": lambda: "/api/v1/runs?limit=100",
        "problems, sought": lambda: "/api/v1/problems?q=" + urllib.parse.quote(row()["problem"][-7:]),
        "problems, 1000 rows": lambda: f"/api/v1/problems?limit=1000&offset={random.randrange(1 + len(rows))}",
        "metrics": lambda: "/metrics",
        "a document": lambda: f"/api/v1/runs/{random.choice(runs)['run_id']}/document",
    }


def read(host, until, figures, queries):
    client = Client(host, figures)
    while time.monotonic() < until:
        began = time.monotonic()
        if all(client.ask("GET", path) for path in FIRST_PAGE):
            figures.add("first page", time.monotonic() - began)
        kind = random.choice(list(queries))
        began = time.monotonic()
        if client.ask("GET", queries[kind]()):
            figures.add(kind, time.monotonic() - began)


def write(host, until, figures, token, parts, name, kept):
    client = Client(host, figures)
    count = 0
    while time.monotonic() < until:
        count += 1
        run_id = f"{name}-{count}"
        began = time.monotonic()
        if client.ask("PUT", "/api/v1/results", run_id.encode().join(parts), {"Authorization": f"Bearer {token}"}):
            figures.add("upload", time.monotonic() - began)
            kept.append(run_id)


def all_runs(client):
    offset, total = 0, 1
    while offset < total:
        answer = json.loads(client.ask("GET", f"/api/v1/runs?limit=1000&offset={offset}"))
        yield from (run["run_id"] for run in answer["runs"])
        offset, total = offset + 1000, answer["total"]


def load(host, seconds, reader_count, writer_count, token, result_path):
    figures, kept = Figures(), []
    with open(result_path, "rb") as file:
        text = file.read()
    parts = text.split(json.loads(text)["run_id"].encode())
    queries = other_queries(Client(host, figures))
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=read, args=(host, until, figures, queries)) for _ in range(reader_count)]
    threads += [threading.Thread(target=write, args=(host, until, figures, token, parts, f"load{i}", kept)) for i in range(writer_count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures.show()
    lost = set(kept) - set(all_runs(Client(host, figures)))
    asked = sum(len(FIRST_PAGE) * len(one) if kind == "first page" else len(one) for kind, one in figures.seconds.items())
    print(f"{reader_count} readers, {writer_count} writers, {seconds:g} s: {asked} requests, {len(figures.dropped)} dropped; "
          f"{len(kept)} uploads, {len(lost)} lost")
    for what in figures.dropped[:5]:
        print(f"dropped: {what}")
    is_slow = "first page" in figures.seconds and figures.quantile("first page", 0.95) > FIRST_PAGE_S
    if is_slow:
        print(f"95 % of the first pages take longer than {FIRST_PAGE_S:g} s")
    return 1 if figures.dropped or lost or is_slow else 0


class Drip:
    """Connections that send a head a byte a second, and come again when they are ended."""

    def __init__(self, address, count):
        self.address = address
        self.sockets = [self.open() for _ in range(count)]
        self.ended_count = 0

    def open(self):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(self.address)
        return one

    def is_ended(self, one):
        try:
            one.send(b"a")
            return one.recv(1024) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def go_on(self, until):
        while time.monotonic() < until:
            _, ready, _ = select.select([], self.sockets, [], 1)
            for i, one in enumerate(self.sockets):
                if one in ready and self.is_ended(one):
                    one.close()
                    self.ended_count += 1
                    self.sockets[i] = self.open()
            time.sleep(1)
        for one in self.sockets:
            one.close()


def drip(host, seconds, count):
    figures = Figures()
    address = (host.split(":")[0], int(host.split(":")[1]))
    drips = Drip(address, count)
    until = time.monotonic() + seconds
    thread = threading.Thread(target=drips.go_on, args=(until,))
    thread.start()
    longest, answered = 0.0, time.monotonic()
    while time.monotonic() < until:
        client = Client(host, figures)
        client.connection.timeout = seconds + SHUT_OUT_S
        if client.ask("GET", "/api/v1/runs?limit=1"):
            longest, answered = max(longest, time.monotonic() - answered), time.monotonic()
        client.connection.close()
        time.sleep(0.05)
    longest = max(longest, time.monotonic() - answered)
    thread.join()
    print(f"{count} connections that drip, {seconds:g} s: {drips.ended_count} were ended; another client was shut out for {longest:.2f} s "
          f"at most, {len(figures.dropped)} of its requests dropped")
    return 1 if longest > SHUT_OUT_S or figures.dropped else 0


def main():
    sys.setswitchinterval(SWITCH_S)
    action, url, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    host = urllib.parse.urlsplit(url).netloc
    if not host.startswith("127.0.0.1:"):
        sys.exit(f"serve_clients.py: {url} is not this machine")
    if action == "drip":
        return drip(host, seconds, int(sys.argv[4]))
    return load(host, seconds, int(sys.argv[4]), int(sys.argv[5]), sys.argv[6], sys.argv[7])


if __name__ == "__main__":
    sys.exit(main())

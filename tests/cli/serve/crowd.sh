# Many at once: connections that drip shut out nobody, a client has as many connections as it may, uploads wait for each other, and who
# waits for the server is neither idle nor late.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
make_store
token=$(assay serve token add ci 2>/dev/null)
start_server
"$ASSAY_SOURCE/bench/serve_clients.py" drip "$url" 5 300 >drips || complain "drips: $(cat drips)"
grep -q 'drip, 5 s: [1-9][0-9]* were ended' drips || complain "the drips were not too many: $(cat drips)"
stop_server

# an upload is at most 1 MiB: four of that size may come at the same time
start_server --upload-limit 1 --request-time 2 --client-connections 5
python3 - "$url" "$token" <<'P' || failed=1
import socket, sys, time

port, token = int(sys.argv[1].rsplit(":", 1)[1]), sys.argv[2]
failures = 0


def expect(what, got, wanted):
    global failures
    if got != wanted:
        failures += 1
        print(f"{what}: {got}, not {wanted}")


def connect(client):
    return socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(client, 0))


def upload(client, length=1 << 20, body=b""):
    connection = connect(client)
    connection.sendall(f"PUT /api/v1/results HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n"
                       f"Authorization: Bearer {token}\r\n\r\n".encode() + body)
    return connection


def page(client):
    connection = connect(client)
    connection.sendall(b"GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return connection


def status(connection):
    try:
        answer = connection.recv(65536)
    except OSError:
        return "closed"
    return int(answer.split()[1]) if answer else "closed"


# Four take all places for as long as a request may take, then four others; a ninth waits for twice that, and is read after them.
began = time.monotonic()
first = [upload("127.0.0.2") for _ in range(4)]
time.sleep(0.3)
second = [upload("127.0.0.3") for _ in range(4)]
time.sleep(0.3)
ninth = upload("127.0.0.4", 4, b"    ")
beside = time.monotonic()
expect("a query beside uploads that wait", status(page("127.0.0.4")), 200)
if time.monotonic() - beside > 1.5:
    failures += 1
    print(f"a query waits for uploads: {time.monotonic() - beside:.1f} s")
# A fifth connection of a client whose others wait is the last one it may have. The next one is told so.
# The server has to see that its end is closed before the next one comes.
one_more = page("127.0.0.3")
expect("a fifth connection", status(one_more), 200)
one_more.close()
time.sleep(1)
fifth = upload("127.0.0.3", 4, b"    ")
time.sleep(0.3)
sixth = page("127.0.0.3")
answer = sixth.recv(65536)
expect("a sixth connection", answer.split()[1:2], [b"503"])
if b"too many connections" not in answer or b"Retry-After: 1" not in answer:
    failures += 1
    print(f"a sixth connection is not told why: {answer}")
expect("a sixth connection, then", status(sixth), "closed")
expect("another client", status(page("127.0.0.4")), 200)
expect("the ninth upload", status(ninth), 400)  # it is no JSON
waited = time.monotonic() - began
if waited < 3.5:
    failures += 1
    print(f"the ninth upload did not wait for the others: {waited:.1f} s")
expect("the first", [status(one) for one in first], ["closed"] * 4)
expect("the second", [status(one) for one in second], ["closed"] * 4)
expect("the fifth upload of a client", status(fifth), 400)
# One connection more than a client may have, where the others do nothing: its oldest one goes.
idle = [connect("127.0.0.5") for _ in range(5)]
time.sleep(0.3)
expect("the sixth beside idle ones", status(page("127.0.0.5")), 200)
expect("the oldest", status(idle[0]), "closed")
idle[1].setblocking(False)
try:
    expect("the second oldest", idle[1].recv(1), "open")
except BlockingIOError:
    pass
sys.exit(failures > 0)
P
# stopped while an upload waits for its place: it is told so, the server ends
python3 - "$url" "$token" "$server" <<'P' || complain "a stop while an upload waits"
import os, signal, socket, sys, time

port, token, server = int(sys.argv[1].rsplit(":", 1)[1]), sys.argv[2], int(sys.argv[3])
uploads = []
for client in range(5):
    connection = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(f"127.0.1.{client + 1}", 0))
    connection.sendall(f"PUT /api/v1/results HTTP/1.1\r\nHost: localhost\r\nContent-Length: {1 << 20}\r\nExpect: 100-continue\r\n"
                       f"Authorization: Bearer {token}\r\n\r\n".encode())
    if client < 4:
        got = connection.recv(100)
        assert b" 100 " in got, got
    uploads.append(connection)
time.sleep(0.3)
os.kill(server, signal.SIGTERM)
got = uploads[4].recv(65536)
assert b" 503 " in got and b"the server stops" in got, got
P
wait "$server"; code=$?
[ $code = 0 ] || complain "stopped while an upload waits: $code, not 0"
exit $failed

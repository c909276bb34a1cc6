# Paths that lead out, broken and slow requests, other names of this host, many connections, a stop while a request comes in: the
# server refuses, logs without controls, and lives.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
make_store
echo secret >secret.txt
start_server --request-time 2
for path in /../secret.txt /assets/../../secret.txt /assets/%2e%2e/%2e%2e/secret.txt /assets/..%2f..%2fsecret.txt \
    /assets/..%5c..%5csecret.txt /%2e%2e%2f%2e%2e%2fetc%2fpasswd /assets//etc/passwd /assets/%252e%252e/secret.txt //etc/passwd; do
    expect 404 "$url$path"
    grep -q 'secret$\|root:' answer && complain "$path is served"
done
port=${url##*:}
for host in evil.example "evil.example:$port" 127.0.0.1.evil.example "localhost:x" ""; do expect 421 -H "Host: $host" "$url/api/v1/runs"; done
expect 200 -H "Host: localhost:$port" "$url/api/v1/runs"
expect 200 -H "Host: LOCALHOST" "$url/api/v1/runs"
token=$(assay serve token add ci 2>/dev/null)
timeout 60 python3 - "$port" "$token" <<'P' || complain "a hostile client: see above"
import socket, sys, time
port, token = int(sys.argv[1]), sys.argv[2]
def connect():
    return socket.create_connection(("127.0.0.1", port), timeout=10)
def answer(bytes_, end=False):
    got = b""
    with connect() as s:
        try:
            s.sendall(bytes_)
            if end: s.shutdown(socket.SHUT_WR)
            while chunk := s.recv(65536): got += chunk
        except OSError:
            pass
        return got
host = b"Host: 127.0.0.1\r\nConnection: close\r\n"
def first(got): return got.split(b"\r\n")[0]
def lives(): assert b"200 OK" in first(answer(b"GET /api/v1/live HTTP/1.1\r\n" + host + b"\r\n")), "dead"
for bad in (b"\r\n\r\n", b"nonsense\r\n\r\n", b"\0\xff\xfe\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
            b"GET http://evil/ HTTP/1.1\r\n" + host + b"\r\n", b"GET /%0d%0aX: HTTP/1.1\r\n" + host + b"\r\n",
            b"GET /\x1b[31m\x07 HTTP/1.1\r\n" + host + b"\r\n", b"OPTIONS * HTTP/1.1\r\n" + host + b"\r\n",
            b"CONNECT a:1 HTTP/1.1\r\n" + host + b"\r\n", b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n" + host + b"\r\n",
            b"GET /" + b"a/" * 100 + b" HTTP/1.1\r\n" + host + b"\r\n", b"GET / HTTP/1.1\r\nX: " + b"b" * 100000 + b"\r\n" + host + b"\r\n",
            b"PUT /api/v1/results HTTP/1.1\r\n" + host + b"Content-Length: 99999999999999999999\r\nAuthorization: Bearer x\r\n\r\n",
            b"PUT /api/v1/results HTTP/1.1\r\n" + host + b"Content-Length: -1\r\n\r\n"):
    got = answer(bad, end=True)
    assert b"200 OK" not in first(got), (bad[:60], first(got))
    lives()
put = b"PUT /api/v1/results HTTP/1.1\r\n" + host + b"Authorization: Bearer " + token.encode() + b"\r\n"
assert b"201" not in answer(put + b"Content-Length: 1000\r\n\r\n{", end=True), "a truncated upload"
lives()
# a byte now and then: a head that is whole within the time is answered
with connect() as s:
    head = b"GET /api/v1/live HTTP/1.1\r\n" + host + b"\r\n"
    for i in range(0, len(head), 16):
        s.sendall(head[i:i + 16])
        time.sleep(0.2)
    assert b"200 OK" in s.recv(65536), "a slow head"
# another one, or a body, is ended after the request's time
for begin in (b"GET / HT", put + b"Content-Length: 1000\r\n\r\n"):
    with connect() as s:
        began = time.time()
        try:
            s.sendall(begin)
            while time.time() - began < 15:
                s.sendall(b"a")
                time.sleep(0.25)
        except OSError:
            pass
        assert 1.5 < time.time() - began < 8, f"a slow client stays {time.time() - began:.1f} s"
lives()
# more connections than are taken: once they end, others are served
crowd = [connect() for _ in range(300)]
for s in crowd: s.close()
time.sleep(0.5)
lives()
P
# a second server on the port
assay serve --port "$port" 2>err; [ $? = 69 ] || complain "a port that is taken: not 69"
grep -q "cannot listen at 127.0.0.1, port $port: Address already in use; another server has it" err || complain "not said: $(cat err)"
assay serve --address nowhere 2>err; [ $? = 64 ] || complain "no address: not 64"
# stopped while an upload comes in: it ends, then the server
python3 - "$port" "$token" "$server" <<'P' || complain "a request was cut by the stop"
import os, signal, socket, sys, time
port, token, server = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
body = open("gate.json", "rb").read()
with socket.create_connection(("127.0.0.1", port), timeout=10) as s:
    s.sendall(b"PUT /api/v1/results HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token.encode() +
              b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:1000])
    time.sleep(0.3)
    os.kill(server, signal.SIGTERM)
    time.sleep(0.5)
    s.sendall(body[1000:])
    first = s.recv(65536).split(b"\r\n")[0]
    assert b"200" in first, first
P
wait "$server"; code=$?
[ $code = 0 ] || complain "stopped during a request: $code, not 0"
LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]' refused && complain "the log holds controls"
exit $failed

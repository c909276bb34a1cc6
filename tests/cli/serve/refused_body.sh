# A request that is refused is answered at the end of its body: a connection closed before resets while the client still sends, and many
# clients then report that, not the answer. One that asks first (Expect: 100-continue) has its answer at once. Refused ones take no place.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
printf 'version: 1\nkernels: {}\n' >assay.yaml
token=$(assay serve token add ci 2>/dev/null)
start_server --upload-limit 1
python3 - "$url" "$token" <<'P' || failed=1
import socket, sys, time

address, token = sys.argv[1].removeprefix("http://").rsplit(":", 1), sys.argv[2]
failures = 0


def connect():
    return socket.create_connection((address[0], int(address[1])), timeout=20)


def head(method, path, length, *lines, host="localhost"):
    return "\r\n".join([f"{method} {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {length}", *lines, "", ""]).encode()


def status(connection):
    answer = connection.recv(65536)
    return int(answer.split()[1]) if answer else "closed"


def expect(what, got, wanted):
    global failures
    if got != wanted:
        failures += 1
        print(f"{what}: {got}, not {wanted}")


def send_slowly(what, wanted, *request, host="localhost", bytes_sent=200_000):
    with connect() as connection:
        for _ in range(2):  # the connection stays usable
            try:
                connection.sendall(head(*request[:2], bytes_sent, *request[2:], host=host))
                for _ in range(4):
                    time.sleep(0.05)
                    connection.sendall(b" " * (bytes_sent // 4))
                expect(what, status(connection), wanted)
            except OSError as error:
                expect(what, error, wanted)
                return


upload, bearer = ("PUT", "/api/v1/results"), f"Authorization: Bearer {token}"
send_slowly("no token", 401, *upload)
send_slowly("a wrong token", 401, *upload, bearer + "x")
send_slowly("another host", 421, *upload, bearer, host="elsewhere")
send_slowly("no such path", 404, "PUT", "/api/v1/nothing")
send_slowly("no such method", 405, "POST", "/api/v1/results")
send_slowly("too large", 413, *upload, bearer, bytes_sent=(1 << 20) + 4)
with connect() as connection:  # nothing of the body is sent
    connection.sendall(head(*upload, 200_000, "Expect: 100-continue"))
    expect("asked first", status(connection), 401)
# Eight refused uploads that are still coming in, then one that is not refused: it is read, and is no JSON.
coming = [connect() for _ in range(8)]
for connection in coming:
    connection.sendall(head(*upload, 10, bearer + "x"))
time.sleep(0.2)
send_slowly("an upload beside eight that are refused", 400, *upload, bearer, bytes_sent=4000)
for connection in coming:
    connection.close()
sys.exit(failures > 0)
P
stop_server
exit $failed

# SPDX-License-Identifier: Apache-2.0
#
# Comments of a pull request as GitHub and GitLab serve them, on a port of its own: usage _fake_host.py STATE [STATUS].
# STATE is a file with the comments and the log of requests, written after each. STATUS: answers this to everything. The token is user
# 7's; a job's, which is an app's, may not ask so: FAKE_HOST_SAYS_USER lets it. FAKE_HOST_COMMENTS: a file with more comments; one with
# "is_fixed" is refused to all.
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

state_path, status = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
somebody, me = {"id": 3, "type": "User"}, {"id": 7, "type": "Bot"}
others = [{"id": i, "body": f"comment {i} of somebody", "user": somebody, "author": somebody} for i in range(1, 131)]  # more than a page
if "FAKE_HOST_COMMENTS" in os.environ:
    with open(os.environ["FAKE_HOST_COMMENTS"], encoding="utf-8") as more:
        others += json.load(more)
state = {"comments": others, "log": []}


class Host(BaseHTTPRequestHandler):
    def answer(self, code, value):
        text = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        with open(state_path, "w", encoding="utf-8") as file:
            json.dump(state, file)

    def handle_any(self):
        url = urlparse(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        token = self.headers.get("Authorization", "") or self.headers.get("PRIVATE-TOKEN", "")
        time.sleep(float(os.environ.get("FAKE_HOST_WAITS_S", "0")))
        state["log"].append([self.command, url.path, token])
        if status:
            return self.answer(status, {"message": "Resource not accessible by integration"})
        if url.path.endswith("/pulls"):  # ../pulls.json: of the head that is asked for
            with open("../pulls.json", encoding="utf-8") as file:
                return self.answer(200, json.load(file).get(parse_qs(url.query)["head"][0], []))
        comments = state["comments"]
        if url.path.endswith("/user"):
            says = "FAKE_HOST_SAYS_USER" in os.environ
            return self.answer(200 if says else 403, me if says else {"message": "Resource not accessible by integration"})
        if self.command == "GET":
            query = parse_qs(url.query)
            page, size = int(query["page"][0]), int(query["per_page"][0])
            return self.answer(200, comments[(page - 1) * size:page * size])
        text = json.loads(body)["body"]
        number = re.search(r"/(?:comments|notes)/(\d+)$", url.path)
        if self.command == "POST":
            comments.append({"id": 1000 + len(comments), "body": text, "user": me, "author": me})
            return self.answer(201, comments[-1])
        [found] = [c for c in comments if c["id"] == int(number.group(1))]
        if "is_fixed" in found:
            return self.answer(403, {"message": "You cannot edit this comment"})
        found["body"] = text
        return self.answer(200, found)

    do_GET = do_POST = do_PATCH = do_PUT = handle_any

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Host)
print(server.server_port, flush=True)
server.serve_forever()

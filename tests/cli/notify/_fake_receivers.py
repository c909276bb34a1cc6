# SPDX-License-Identifier: Apache-2.0
#
# A webhook and an SMTP server on ports of their own, which are printed: usage _fake_receivers.py FOLDER. Each message is a file of FOLDER,
# hook.N or mail.N. While FOLDER/broken exists, the webhook answers 500 and the mail server 451.
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import StreamRequestHandler, ThreadingTCPServer

folder = sys.argv[1]


def keep(kind, content):
    number = len([name for name in os.listdir(folder) if name.startswith(kind)]) + 1
    with open(os.path.join(folder, f"{kind}.{number}"), "wb") as file:
        file.write(content)


def is_broken():
    tried = os.path.join(folder, "tried")
    with open(tried, "a", encoding="utf-8") as file:
        file.write("x")
    return os.path.exists(os.path.join(folder, "broken"))


class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        broken = is_broken()
        if not broken:
            keep("hook", body)
        self.send_response(500 if broken else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Mail(StreamRequestHandler):
    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def handle(self):
        self.say("220 fake")
        envelope = b""
        for line in self.rfile:
            word = line.strip().upper()
            if word.startswith((b"MAIL", b"RCPT")):
                envelope += line
            if word == b"DATA":
                self.say("354 go on")
                content = b""
                for text in self.rfile:
                    if text == b".\r\n":
                        break
                    content += text
                if is_broken():
                    self.say("451 not now")
                else:
                    keep("mail", envelope + content)
                    self.say("250 kept")
            elif word == b"QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 fine")


hook = HTTPServer(("127.0.0.1", 0), Hook)
ThreadingTCPServer.allow_reuse_address = True
mail = ThreadingTCPServer(("127.0.0.1", 0), Mail)
threading.Thread(target=mail.serve_forever, daemon=True).start()
print(hook.server_port, mail.server_address[1], flush=True)
hook.serve_forever()

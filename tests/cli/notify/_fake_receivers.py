# SPDX-License-Identifier: Apache-2.0
#
# A webhook and an SMTP server on ports of their own, which are printed: usage _fake_receivers.py FOLDER. Each message is a file of FOLDER,
# hook.N or mail.N; each try is a byte of hook.tries or mail.tries, and FOLDER/most_open says how many connections were open at once.
# What they do is asked of FOLDER at each try, for both or, with the kind in front (hook.hang), for one of them:
#   broken   answers 500 and 451           fails    holds a number: so many tries more are answered so
#   hang     never answers                 swallow  keeps the message, and never answers
#   slow     holds a number: answers, or greets, so many seconds later
#   refused  holds a text: what has it is answered with 403 and 550
# The webhook repeats its address in each answer.
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import StreamRequestHandler, ThreadingTCPServer

folder = sys.argv[1]
guard = threading.Lock()
open_now, most_open = 0, 0


def path_of(name):
    return os.path.join(folder, name)


def does(kind, what):
    return os.path.exists(path_of(what)) or os.path.exists(path_of(f"{kind}.{what}"))


def held(kind, what):
    for name in (what, f"{kind}.{what}"):
        if os.path.exists(path_of(name)):
            with open(path_of(name), encoding="utf-8") as file:
                return file.read().strip()
    return ""


def wait_if_slow(kind):
    time.sleep(int(held(kind, "slow") or 0))


def is_refused(kind, content):
    text = held(kind, "refused")
    return text and text.encode() in content


def hang():
    threading.Event().wait()


def opened(change):
    global open_now, most_open
    with guard:
        open_now += change
        most_open = max(most_open, open_now)
        with open(path_of("most_open"), "w", encoding="utf-8") as file:
            file.write(str(most_open))


def note_try(kind):
    with guard, open(path_of(f"{kind}.tries"), "a", encoding="utf-8") as file:
        file.write("x")


def still_fails():
    try:
        with guard, open(path_of("fails"), "r+", encoding="utf-8") as file:
            left = int(file.read())
            file.seek(0)
            file.write(str(max(left - 1, 0)))
            return left > 0
    except FileNotFoundError:
        return False


# Whether the message was taken.
def take(kind, content):
    if does(kind, "broken") or still_fails():
        return False
    with guard:
        number = len([name for name in os.listdir(folder) if name.startswith(kind) and name[-1].isdigit()]) + 1
        with open(path_of(f"{kind}.{number}"), "wb") as file:
            file.write(content)
    if does(kind, "swallow"):
        hang()
    return True


class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        opened(+1)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        note_try("hook")
        if does("hook", "hang"):
            hang()
        wait_if_slow("hook")
        status = 403 if is_refused("hook", body) else 200 if take("hook", body) else 500
        opened(-1)
        self.send_response(status)
        self.send_header("Content-Length", str(len(self.path)))
        self.end_headers()
        self.wfile.write(self.path.encode())

    def log_message(self, *arguments):
        pass


class Mail(StreamRequestHandler):
    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def handle(self):
        opened(+1)
        note_try("mail")
        if does("mail", "hang"):
            hang()
        wait_if_slow("mail")
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
                if is_refused("mail", content):
                    self.say("550 never")
                else:
                    self.say("250 kept" if take("mail", envelope + content) else "451 not now")
            elif word == b"QUIT":
                self.say("221 bye")
                break
            else:
                self.say("250 fine")
        opened(-1)


class Hooks(ThreadingHTTPServer):
    daemon_threads = True


class Mails(ThreadingTCPServer):
    daemon_threads = True


hook, mail = Hooks(("127.0.0.1", 0), Hook), Mails(("127.0.0.1", 0), Mail)
threading.Thread(target=mail.serve_forever, daemon=True).start()
print(hook.server_port, mail.server_address[1], flush=True)
hook.serve_forever()

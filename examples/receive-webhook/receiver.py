"""Receives events by webhook: verifies each, and prints it once. Nothing but Python 3 is needed."""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


# recipe
def is_genuine(secret, headers, body):
    """Whether a delivery is the platform's, and not older than five minutes. `body` are the bytes as they came."""
    sent = headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(f"v1,{expected}".encode(), each.encode()) for each in signatures)
# end of the recipe


LIMIT = 1024 * 1024
SECRET = os.environ["WEBHOOK_SECRET"]

# In a real receiver a table: the same event may come twice, also after a restart.
seen = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", "0"))
        if length > LIMIT:
            return self.respond(413)
        body = self.rfile.read(length)
        if not is_genuine(SECRET, self.headers, body):
            return self.respond(401)
        event = json.loads(body)
        if event["id"] not in seen:
            seen.add(event["id"])
            print(event["type"], event["id"], flush=True)
        return self.respond(204)

    def respond(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


with ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4400"))), Receiver) as server:
    print(f"listening on {server.server_address[1]}", flush=True)
    server.serve_forever()

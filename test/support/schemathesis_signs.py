"""Signs what schemathesis sends to session start, as a launcher does (D-14), and shows it to come from the cafe."""

import base64
import hashlib
import hmac
import os
import time
import uuid
from urllib.parse import urlsplit

import schemathesis
from requests.auth import AuthBase

KEY_ID = os.environ["GSB_KEY_ID"]
SECRET = base64.b64decode(os.environ["GSB_SECRET"])


class Launcher(AuthBase):
    def __call__(self, request):
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        address = urlsplit(request.url)
        digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
        covered = '("@method" "@authority" "@path" "content-digest")'
        claims = f'{covered};created={int(time.time())};keyid="{KEY_ID}";nonce="{uuid.uuid4()}";alg="hmac-sha256"'
        base = "\n".join(
            [
                f'"@method": {request.method}',
                f'"@authority": {address.netloc}',
                f'"@path": {address.path}',
                f'"content-digest": {digest}',
                f'"@signature-params": {claims}',
            ]
        )
        signature = base64.b64encode(hmac.new(SECRET, base.encode(), hashlib.sha256).digest()).decode()
        request.headers["Content-Digest"] = digest
        request.headers["Signature-Input"] = f"sig1={claims}"
        request.headers["Signature"] = f"sig1=:{signature}:"
        return request


schemathesis.auth.set_from_requests(Launcher())

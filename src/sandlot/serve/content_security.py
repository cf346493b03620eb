"""Content-Security-Policy: what a page may load and run. Only what this server sends, by name or by hash."""

from __future__ import annotations

import base64
import hashlib
import re

NOTHING = "default-src 'none'; frame-ancestors 'none'"  # of answers that are no pages

# 'wasm-unsafe-eval' compiles WebAssembly (the engine, onnxruntime) and nothing else.
# Pictures and sounds may be made in the page (data:, blob:); a saved match is downloaded as a blob.
PAGE = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; style-src 'self'{styles}; "
    "img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; "
    "worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def policy_of(page: str) -> str:
    """The policy of an HTML page: the scripts and styles inside it may run by their hashes."""
    return PAGE.format(scripts=_hashes(SCRIPT, page), styles=_hashes(STYLE, page))


def _hashes(kind: re.Pattern[str], page: str) -> str:
    digests = [hashlib.sha256(text.encode()).digest() for text in kind.findall(page)]
    return "".join(f" 'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)

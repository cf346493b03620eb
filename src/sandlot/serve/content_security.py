"""Content-Security-Policy headers: pages may load only files of this server and inline code by its hash."""

import base64
import hashlib
import re

NOTHING = "default-src 'none'; frame-ancestors 'none'"  # for responses that are not HTML

# 'wasm-unsafe-eval' compiles WebAssembly (the engine, onnxruntime) and nothing else.
# data: and blob: are for generated pictures and sounds, and for downloading a saved match.
PAGE = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; style-src 'self'{styles}; "
    "img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; "
    "worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def policy_for(page: str) -> str:
    """The policy for an HTML page; its inline scripts and styles are allowed by their hashes."""
    return PAGE.format(scripts=_hashes(SCRIPT, page), styles=_hashes(STYLE, page))


def _hashes(kind: re.Pattern[str], page: str) -> str:
    digests = [hashlib.sha256(text.encode()).digest() for text in kind.findall(page)]
    return "".join(f" 'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)

class_name RLClient
extends SandlotLiveLink
## The game's WebSocket client. It connects by itself to `ws://127.0.0.1:8765` (`url`, or the variable SANDLOT_URL, names
## another server) and again when the server comes back. What it says: docs/ws_protocol.md.

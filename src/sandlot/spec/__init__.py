"""What a game says about itself, as data: one validated document, whatever the game comes from.

    document.py   the JSON document: pydantic models, schema version, defaults, contradictions
    spec.py       a document under chosen settings: what every other package asks
    settings.py   settings as people write them, checked against the document

The document comes from the C engine, a Godot scene's hello, or a Gymnasium env (`worlds/`). Nothing here
knows the name of a game, opens a world or loads the engine.
"""

from .document import SCHEMA_VERSION, Action, Document, EpisodeField, Field, Knob, Outcome
from .settings import parse_settings, resolve
from .spec import Spec

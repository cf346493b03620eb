"""`python -m sandlot.spec`: the JSON schema of a game's document; docs/spec_schema.json is its output."""

import json

from .document import SCHEMA_VERSION, Document

schema = Document.model_json_schema()
schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
schema["title"] = f"Sandlot game, schema version {SCHEMA_VERSION}"
print(json.dumps(schema, indent=1))

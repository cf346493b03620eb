"""The site's API and the site itself: reads the run store, plays on the native engine, never trains.

Read in this order: settings (what can be set), app (how it is wired), errors (the one shape of an error),
context (what requests share), then routes/, one file per kind of resource. Needs FastAPI:
`pip install 'sandlot[serve]'`.
"""

from ..errors import MissingExtra

try:
    import fastapi
except ImportError:
    raise MissingExtra("Serving the site and its API", "FastAPI", "serve") from None

from .app import create_app
from .settings import Settings

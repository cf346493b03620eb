"""`python -m sandlot.compat`: the commands behind the briefs' scripts."""

from ..cli.main import add_commands, make_app, run

# One module of this folder each, with a function of the same name.
COMMANDS = ("session", "episode", "render", "frames", "bundle", "migrate")

app = make_app(
    "The commands behind scripts/*.sh: tag trained in Godot, with the files and environment variables of its "
    "brief (docs/environment.md). Everything else is `sandlot --help`."
)
add_commands(app, COMMANDS, "sandlot.compat")

if __name__ == "__main__":
    run(app)

"""The `sandlot` program: one file a command. Nothing imports this room."""

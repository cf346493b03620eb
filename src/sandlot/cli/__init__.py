"""The `sandlot` program, with one file per command. No other package imports it."""

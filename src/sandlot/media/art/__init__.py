"""What the site's pictures and sounds are called, and how packs of files are fitted to those names."""

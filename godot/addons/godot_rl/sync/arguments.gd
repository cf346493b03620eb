extends RefCounted
## The `--key=value` words that a trainer starts the game with: before any `--`, unlike a game's own words.

const FLAG := ""  ## value of a word without `=`


## Every word by its name, without its dashes.
static func parse(words: PackedStringArray) -> Dictionary:
	var named := {}
	for word in words:
		var sign_at := word.find("=")
		var key := word if sign_at < 0 else word.left(sign_at)
		named[key.lstrip("-")] = FLAG if sign_at < 0 else word.substr(sign_at + 1)
	return named


static func integer(named: Dictionary, key: String, usual: int) -> int:
	var given: String = named.get(key, FLAG)
	return given.to_int() if given.is_valid_int() else usual


static func number(named: Dictionary, key: String, usual: float) -> float:
	var given: String = named.get(key, FLAG)
	return given.to_float() if given.is_valid_float() else usual

"""docs/commands.md says what the program takes, and no default or range changes unseen."""

import commands_page


def test_the_page_of_commands_is_up_to_date():
    assert commands_page.PAGE.read_text(encoding="utf-8") == commands_page.page(), "run `make docs`"


def test_the_page_shows_defaults_ranges_and_choices():
    text = commands_page.page()
    assert "| `--episodes` | `300` | 1 to 100000 |" in text
    assert "`low`" in text and "required" in text


def test_the_check_notices_a_changed_page(tmp_path, monkeypatch):
    monkeypatch.setattr(commands_page, "PAGE", tmp_path / "commands.md")
    assert commands_page.main(["--check"]) == 1 and list(tmp_path.iterdir()) == []
    assert commands_page.main([]) == 0 and commands_page.main(["--check"]) == 0
    commands_page.PAGE.write_text(commands_page.PAGE.read_text() + "changed by hand")
    assert commands_page.main(["--check"]) == 1

"""docs/commands.md says what the program takes, and no default or range changes unseen."""

from sandlot.cli import reference


def test_the_page_of_commands_is_up_to_date():
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "run `make docs`"


def test_the_page_shows_defaults_ranges_and_choices():
    text = reference.page()
    assert "| `--episodes` | `300` | 1 to 100000 |" in text
    assert "`low`" in text and "required" in text


def test_the_check_notices_a_changed_page(tmp_path, monkeypatch):
    monkeypatch.setattr(reference, "PAGE", tmp_path / "commands.md")
    assert reference.main(["--check"]) == 1 and list(tmp_path.iterdir()) == []
    assert reference.main([]) == 0 and reference.main(["--check"]) == 0
    reference.PAGE.write_text(reference.PAGE.read_text() + "changed by hand")
    assert reference.main(["--check"]) == 1

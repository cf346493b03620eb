"""`sandlot assets` as a user calls it."""

import json

import pytest
from media.small_packs import PACK, folder_of, zip_of

from .documented import assert_documented


@pytest.fixture
def asset_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SANDLOT_ASSETS", str(tmp_path / "asset_folder"))
    return tmp_path / "asset_folder"


def test_a_pack_is_adopted_listed_and_removed(sandlot, tmp_path, asset_folder):
    path = zip_of(PACK, tmp_path / "kenney_littlePack.zip")
    done = sandlot("assets", "install", str(path))
    assert (done.code, done.err) == (0, "")
    assert "Installed little-pack: 2 pictures, 1 sounds" in done.out
    assert "little-pack" in sandlot("assets").out
    assert "Removed little-pack" in sandlot("assets", "remove", "little-pack").out
    assert "No other pack is installed" in sandlot("assets", "list").out


def test_another_asset_folder_may_be_named(sandlot, tmp_path, asset_folder):
    folder_of(PACK, tmp_path / "pack")
    assert sandlot("assets", "install", str(tmp_path / "pack"), "--to", str(tmp_path / "other")).code == 0
    assert (tmp_path / "other" / "manifest.json").exists() and not asset_folder.exists()


def test_json_tells_the_asset_folder_and_its_packs(sandlot, tmp_path, asset_folder):
    folder_of(PACK, tmp_path / "pack")
    adopted = json.loads(sandlot("assets", "install", str(tmp_path / "pack"), "--json").out)
    listed = json.loads(sandlot("assets", "list", "--json").out)
    assert listed == {"asset_folder": str(asset_folder), "packs": [adopted["pack"]]}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("install",), "needs a folder or zip"),
        (("install", "nowhere.zip"), "There is no folder or zip nowhere.zip"),
        (("remove",), "needs the name of a pack"),
        (("remove", "nothing"), "There is no adopted pack called 'nothing'"),
        (("list", "simple-space"), "takes no name"),
        (("adopt", "x.zip"), "adopt"),
    ],
)
def test_a_wrong_word_is_answered_with_exit_code_2(words, sentence, sandlot, asset_folder):
    done = sandlot("assets", *words)
    assert done.code == 2 and sentence in done.err and not done.out


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("assets")

"""docs/specifications.md: a heading per module of the brief, and tables that agree with the engine."""

import re
from pathlib import Path

import sandlot

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "specifications.md").read_text()
MODULES = [
    "Design document", "Constants", "Observation", "Actions", "Transition", "Reward", "Compatibility",
    "Baselines", "Benchmarking", "Backend", "Frontend", "Graphics and audio",
]  # fmt: skip


def section(name):
    return PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0]


def rows(name):
    return re.findall(r"(?m)^\| (.*) \|$", section(name))[1:]  # without the head


def test_every_module_has_a_heading_and_says_something():
    assert re.findall(r"(?m)^## (.*)$", PAGE) == MODULES
    assert all(len(section(name).strip()) > 80 for name in MODULES)


def test_every_link_to_a_section_leads_to_its_heading():
    links = re.findall(r"\]\(([\w/]+\.md)(?:#([\w-]+))?\)", PAGE.replace("\n", " "))
    assert len(links) > 15
    for file, anchor in links:
        headings = re.findall(r"(?m)^#+ (.*)$", (DOCS / file).read_text())
        names = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
        assert not anchor or anchor in names, f"{file}#{anchor}"


def test_the_tables_are_the_engines():
    spec = sandlot.load_spec("prospector")
    result = [row.split(" | ") for row in rows("Observation")]
    assert [(int(r[0]), r[1].strip("`"), int(r[2])) for r in result] == [
        (field.start, field.name, field.size) for field in spec.observation
    ]
    assert [row.split(" | ")[1].strip("`") for row in rows("Actions")] == list(spec.action_names)
    terms = [row.split(" | ")[0].strip("`") for row in rows("Reward")]
    assert terms == [term["name"] for term in spec.json["reward_terms"]]
    assert f"{spec.observation_size} numbers" in PAGE and f"{spec.action_count} ids" in PAGE

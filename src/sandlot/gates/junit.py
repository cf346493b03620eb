"""A verdict as JUnit XML, which every CI shows: one test case per check."""

from xml.etree import ElementTree

from .verdict import FAIL, NO_DATA, REPORTED, UNDECIDED, Verdict


def to_junit(verdict: Verdict, undecided_passes: bool = False) -> bytes:
    """The file's content. An undecided check fails, or is skipped where undecided is accepted."""
    counts = {result: sum(check.result == result for check in verdict.checks) for result in (FAIL, NO_DATA)}
    undecided = sum(check.result == UNDECIDED for check in verdict.checks)
    skipped = sum(check.result == REPORTED for check in verdict.checks)
    suite = ElementTree.Element(
        "testsuite",
        name=f"sandlot gate {verdict.gate}",
        tests=str(len(verdict.checks)),
        failures=str(counts[FAIL] + (0 if undecided_passes else undecided)),
        errors=str(counts[NO_DATA]),
        skipped=str(skipped + (undecided if undecided_passes else 0)),
        time=f"{verdict.seconds:.3f}",
        timestamp=verdict.created.rstrip("Z"),
    )
    for check in verdict.checks:
        case = ElementTree.SubElement(suite, "testcase", classname=f"gate.{verdict.gate}", name=check.title)
        if check.result == FAIL:
            ElementTree.SubElement(case, "failure", type=FAIL, message=_clean(check.sentence))
        elif check.result == UNDECIDED and not undecided_passes:
            ElementTree.SubElement(case, "failure", type=UNDECIDED, message=_clean(check.sentence))
        elif check.result == NO_DATA:
            ElementTree.SubElement(case, "error", type=NO_DATA, message=_clean(check.sentence))
        elif check.result in (UNDECIDED, REPORTED):
            ElementTree.SubElement(case, "skipped", message=_clean(check.sentence))
    output = ElementTree.SubElement(suite, "system-out")
    output.text = _clean("\n".join([verdict.sentence, *verdict.notes, verdict.command]))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "utf-8") + b"\n"


def _clean(text: str) -> str:
    """Without characters that XML has no place for."""
    return "".join(c for c in text if c in "\n\t" or ord(c) >= 32)

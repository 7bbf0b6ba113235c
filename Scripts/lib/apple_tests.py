"""The tests that only run on Apple's platforms, as files that the compiler reads without macros."""

import re

MODULE = "IkranAppleTests"
# Swift Testing's macros have a plugin that makes code for it; what they check is checked by functions of one name.
PLAIN = [(r"@Test\b(?:\([^)]*\))?\s*", ""), (r"#expect\(", "expect("), (r"#require\(", "require(")]


def files(root):
    """The files of the tests."""
    return sorted((root / "Tests" / MODULE).rglob("*.swift"))


def plain(root, target):
    """Copies of them without macros, in a folder of the target's."""
    folder = root / ".build/apple/tests" / target
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    copies = []
    for file in files(root):
        text = file.read_text(encoding="utf-8")
        for pattern, replacement in PLAIN:
            text = re.sub(pattern, replacement, text)
        copies.append(folder / file.name)
        copies[-1].write_text(text, encoding="utf-8")
    return copies

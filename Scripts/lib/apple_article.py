"""The programs of the article about Apple's platforms, as files that the compilers read."""

import re

ARTICLE = "Sources/Library/Ikran/Ikran.docc/OnApplePlatforms.md"
# What one platform alone has.
ALONE = {"UIKit": "ios", "AppKit": "macosx"}


class ArticleError(Exception):
    """The article has no programs, or one without imports."""


def programs(root):
    """Writes each program to a file of its own: (its module's name, the file, the targets it is for).

    There are none while what it imports is not declared: it is unseen.
    """
    folder = root / ".build/apple/article"
    folder.mkdir(parents=True, exist_ok=True)
    blocks = re.findall(r"^```swift\n(.*?)^```$", (root / ARTICLE).read_text(encoding="utf-8"), re.M | re.S)
    found = []
    for number, text in enumerate(blocks, 1):
        imports = re.findall(r"^import (\w+)$", text, re.M)
        if not imports:
            raise ArticleError(f"{ARTICLE}: program {number} imports nothing")
        name = f"Article{number}"
        file = folder / f"{name}.swift"
        # Two targets may read it at the same time.
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
        targets = set(ALONE.values())
        for module in set(imports) & set(ALONE):
            targets &= {ALONE[module]} if (root / "Stubs/Apple" / module).exists() else set()
        found.append((name, file, targets))
    if not found:
        raise ArticleError(f"{ARTICLE} has no programs")
    return found

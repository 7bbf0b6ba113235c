"""What no page says of Apple's platforms: that Ikran runs there, which has not been seen."""

import re

PLATFORM = r"(?:macOS|iOS|iPadOS|watchOS|tvOS|visionOS|iPhones?|iPads?|Macs?|Apple(?:[’']s)? platforms)"
CLAIM = re.compile(
    rf"\b(?:support(?:s|ed|ing)?|works?|runs?|tested|builds?|available|ready)\s+(?:for|on|under|in)?\s*(?:\w+,?\s+(?:and\s+)?)??{PLATFORM}\b",
    re.IGNORECASE,
)
LATER = re.compile(rf"\b{PLATFORM}\b(?:\s+[\d.]+\+?)?\s+(?:is|are)?\s*(?:fully\s+)?(?:support(?:ed)?|works|runs)\b", re.IGNORECASE)
# What the three words say is no claim.
ALLOWED = re.compile(r"\bnever run\b|\bnot run\b|\bhas not\b|\bunseen\b|\btype-checked\b", re.IGNORECASE)

REFUSED = [
    "Ikran supports iOS.", "It works on macOS and Linux.", "Runs on iPhones", "tested on macOS 15", "Linux, supported on Apple platforms",
    "it runs under iOS", "iOS is supported", "macOS support", "iOS 18+ supported", "Supports iOS; HDR is unseen",
]
ACCEPTED = [
    "macOS, iOS: type-checked, never run; tell us what you see", "It has not run on a machine of Apple's, macOS or iOS.",
    "Type-checked for iOS 18.", "imgproxy runs on Linux",
]


def claims(text):
    """The lines that claim too much: (number, line)."""
    for number, line in enumerate(text.split("\n"), 1):
        rest = ALLOWED.sub(" – ", line)
        if CLAIM.search(rest) or LATER.search(rest):
            yield number, line


def pages(root):
    """The pages that users read."""
    found = [root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md", *root.glob("docs/**/*.md")]
    return sorted(set(found) | set(root.glob("Sources/Library/**/*.docc/**/*.md")))


def self_test():
    """The samples that are judged wrongly."""
    wrong = [text for text in REFUSED if not list(claims(text))]
    return wrong + [text for text in ACCEPTED if list(claims(text))]

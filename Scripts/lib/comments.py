"""Wraps the comments of Swift files."""

import re
import textwrap

COMMENT = re.compile(r"(?P<indent> *)(?P<marker>///?)(?!/)(?P<text>.*)")
ITEM = re.compile(r"(?P<begin> *(?:[-*] |\d+\. ))(?P<text>.*)")


def _wrapped(prefix, first, rest, text, columns):
    """A paragraph as lines; what stands in backticks is not divided."""
    held = re.sub(r"`+[^`]*`+", lambda span: span.group().replace(" ", "\0"), text)
    lines = textwrap.wrap(
        held, columns, initial_indent=prefix + first, subsequent_indent=prefix + rest,
        break_long_words=False, break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in lines]


def _block(prefix, texts, columns):
    """The lines of comments that follow each other, those paragraphs wrapped that have a line too long."""
    out, at, is_code = [], 0, False
    while at < len(texts):
        text = texts[at]
        if text.startswith(" "):
            text = text[1:]
        end = at + 1
        item = ITEM.fullmatch(text)
        is_fence = text.strip().startswith("```")
        is_text = item or re.match(r"[^\s|#<>]", text)
        if is_code or is_fence or not is_text:
            is_code ^= is_fence
            out.append(prefix + texts[at])
            at = end
            continue
        begin = item["begin"] if item else ""
        rest = " " * len(begin)
        words = [item["text"] if item else text]
        # A paragraph ends with an empty line, an item, or a line that is indented otherwise.
        while end < len(texts):
            line = texts[end][1:]
            follows = re.match(r"( *)\S", line)
            if not follows or ITEM.fullmatch(line) or re.match(r" *(?:```|\|)", line):
                break
            if len(follows[1]) != len(rest) and not (item and end == at + 1):
                break
            rest = follows[1] if item else rest
            words.append(line.strip())
            end += 1
        if any(len(prefix) + len(line) > columns for line in texts[at:end]):
            out += _wrapped(prefix + " ", begin, rest, " ".join(words), columns)
        else:
            out += [prefix + line for line in texts[at:end]]
        at = end
    return out


def wrap(text, columns=100):
    """A file's text with no line of a comment that is longer than `columns`, where words allow that."""
    out, block, prefix, in_string = [], [], None, False
    for line in [*text.split("\n"), None]:
        found = None if line is None or in_string else COMMENT.fullmatch(line)
        start = found and found["indent"] + found["marker"]
        if block and start != prefix:
            out += _block(prefix, block, columns)
            block = []
        if found:
            prefix = start
            block.append(found["text"])
        elif line is not None:
            prefix = None
            in_string ^= line.count('"""') % 2 == 1
            out.append(line)
    return "\n".join(out)

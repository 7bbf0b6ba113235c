"""Swift as text: what the checks of Scripts/ need to know of it, without a compiler."""

import re

_NEXT = re.compile(r'//|/\*|#*"""|#*"|[()]')
_BLOCK = re.compile(r"/\*|\*/")


def _blank(text):
    """The line ends of a text; everything else is a space."""
    return re.sub(r"[^\n]", " ", text)


def code(text):
    """A file's code: comments and the text of strings become spaces, so positions stay the same.

    What a string interpolates is code and stays.
    """
    out, at = [], 0
    # One entry for each string whose interpolation is being read: its quotes, and the parentheses
    # that are open in it.
    strings = []
    while match := _NEXT.search(text, at):
        token = match.group()
        out.append(text[at : match.start()])
        at = match.end()
        if token == "//":
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            out.append(" " * (end - match.start()))
            at = end
        elif token == "/*":
            depth = 1
            while depth and (part := _BLOCK.search(text, at)):
                depth += 1 if part.group() == "/*" else -1
                at = part.end()
            at = len(text) if depth else at
            out.append(_blank(text[match.start() : at]))
        elif token in "()":
            out.append(token)
            if strings:
                strings[-1][1] += 1 if token == "(" else -1
                if not strings[-1][1]:
                    at = _string(text, at, strings, out)
        else:
            out.append(token)
            strings.append([token, 0])
            at = _string(text, at, strings, out)
    out.append(text[at:])
    return "".join(out)


def _string(text, at, strings, out):
    """Reads the innermost string on from `at`, to its end or its next interpolation."""
    quotes = strings[-1][0]
    hashes = quotes.count("#")
    escape = "\\" + "#" * hashes
    end = quotes.lstrip("#") + "#" * hashes
    # A string of one line ends with its line, whatever it has.
    stop = re.compile(f"{re.escape(escape)}.|{re.escape(end)}" + ("" if '"""' in quotes else "|\n"), re.S)
    while match := stop.search(text, at):
        out.append(_blank(text[at : match.start()]))
        at = match.end()
        if match.group() == escape + "(":
            out.append(" " * len(escape) + "(")
            strings[-1][1] = 1
            return at
        if match.group().startswith("\\"):
            out.append(_blank(match.group()))
            continue
        out.append(match.group())
        strings.pop()
        # A string that stood in the interpolation of another is followed by more of that.
        return at
    out.append(_blank(text[at:]))
    strings.pop()
    return len(text)


_PAIRS = {"(": ")", "[": "]", "{": "}"}
_BRACKETS = re.compile(r"[()\[\]{}]")


def closing(code, opening):
    """Where the bracket at `opening` is closed; the last position when it is not."""
    depth = 0
    for match in _BRACKETS.finditer(code, opening):
        depth += 1 if match.group() in _PAIRS else -1
        if not depth:
            return match.start()
    return len(code) - 1


def split(text):
    """The parts of a list of parameters or arguments, at the commas that stand in no bracket."""
    parts, depth, begin = [], 0, 0
    for match in re.finditer(r"->|[()\[\]{}<>,]", text):
        token = match.group()
        if token == ",":
            if not depth:
                parts.append(text[begin : match.start()].strip())
                begin = match.end()
        elif token != "->":
            depth += 1 if token in "([{<" else -1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def line_of(text, position):
    """The number of the line at a position, from 1."""
    return text.count("\n", 0, position) + 1


_FUNCTION = re.compile(r"(?<![.\w`])(?:func\s+(?P<name>`?[\w]+`?|[^\s\w(]+)|(?P<init>init)[?!]?|(?P<sub>subscript))\s*(?=[<(])")


class Function:
    """A declared function, initializer or subscript.

    `begin` is where it is declared, `body` the range between its braces, None when it has none;
    `lines` counts what stands between the lines of the braces.
    """

    def __init__(self, name, parameters, begin, body, lines):
        self.name, self.parameters, self.begin = name, parameters, begin
        self.body, self.lines = body, lines

    @property
    def signature(self):
        labels = (re.match(r"(?:@\w+(?:\([^)]*\))?\s+)*(`?\w+`?)", part) for part in self.parameters)
        return f"{self.name}({''.join(label.group(1) + ':' for label in labels if label)})"


def functions(code):
    """Every function that `code` (comments and strings removed) declares, with the positions of its text."""
    for match in _FUNCTION.finditer(code):
        at = match.end()
        if code[at] == "<":
            depth = 0
            for bracket in re.finditer(r"->|[<>]", code[at:]):
                depth += {"<": 1, ">": -1}.get(bracket.group(), 0)
                if not depth:
                    break
            at += bracket.end()
            while code[at : at + 1].isspace():
                at += 1
            if code[at : at + 1] != "(":
                continue
        end = closing(code, at)
        parameters = split(code[at + 1 : end])
        # The body is the next brace, if nothing else is declared before it.
        rest = re.compile(r"\{|\n\s*\n|\}|\n\s*(?:@\w+\s+)*(?:[a-z]+\s+)*(?:func|init|var|let|case|struct|class|enum|extension|protocol)\b")
        body = rest.search(code, end + 1)
        inside, lines = None, 0
        if body and body.group() == "{":
            inside = range(body.end(), closing(code, body.start()))
            lines = max(code.count("\n", inside.start, inside.stop) - 1, 0)
        name = match.group("name") or match.group("init") or match.group("sub")
        yield Function(name.strip("`"), parameters, match.start(), inside, lines)

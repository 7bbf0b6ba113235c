"""The inventory of Stubs/Apple/: each declaration, its source, and our files that use it."""

import pathlib
import re

SOURCE = re.compile(r"^\s*// (?P<source>.+?) · (?P<since>macOS [\d.]+, iOS [\d.]+|macOS [\d.]+|iOS [\d.]+)(?P<unsure> \?)?$")
SWIFT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public |open |static |class |nonisolated |final |convenience )*"
    r"(?:func|var|let|class|struct|enum|protocol|typealias)\s+`?(\w+)"
)
# What declares a type that others lie in, and an initialiser with its parameters.
TYPE = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public |open |final )*(?:class|struct|enum|protocol|extension) ([\w.]+)")
INIT = re.compile(r"^\s*(?:@\w+\s+)*(?:public |convenience |required )*init[?!]?(?:<[^>]*>)?\(([^{]*)")
LABEL = re.compile(r"(?:^|,)\s*(?:@\w+\s+)?`?(\w+)`?(?:\s+`?\w+`?)?\s*:")
CASES = re.compile(r"^\s*case (.+?)(?:\s*\}.*)?$")
C = [
    re.compile(r"^#define (\w+) "),
    re.compile(r"^(?:typedef )?(?:struct|enum) (\w+) \{"),
    re.compile(r"^typedef .*?(\w+);$"),
    re.compile(r"^\} (\w+);$"),
    re.compile(r"^static const \w+ (\w+) ="),
    re.compile(r"^(?:extern )?(?:const )?\w[\w ]*?[ *](?:_Nonnull |_Nullable )?(\w+)\("),
]

# What a declared type has because of a protocol of the standard library's.
CONFORMING = {"rawValue", "magnitude", "startIndex", "endIndex", "makeIterator"}
CONFORMING |= {"init(rawValue:)", "init(floatLiteral:)", "init(integerLiteral:)", "init(stringLiteral:)"}
# And a result builder because of the compiler.
CONFORMING |= {"buildExpression", "buildBlock", "buildEither"}

HEAD = """\
# Apple's platforms: what our checks declare

Ikran has not run on a machine of Apple's yet. Three words say what was done, and no fourth is used: **run**
(executed, on Linux), **type-checked** (compiled for an Apple target against the declarations below), **unseen**
(neither). `Scripts/apple` makes this page, and fails when a declaration has no source, or no file of ours uses it.

Type-checked for macOS 15 and iOS 18 so far: {modules}, and our C for arm64 and, for watchOS 11, arm64_32. All other
modules are unseen there. A question mark: the source does not say it in so many words.

| declaration | source | from | used by | state |
| --- | --- | --- | --- | --- |
"""


class InventoryError(Exception):
    """A declaration has no source, or nothing uses it; it says which."""


def declarations(path):
    """The declarations of a file: (name, source, since, whether it is sure, the cases of an enumeration)."""
    is_swift = path.suffix == ".swift"
    source, found = None, []
    depth, types = 0, Types()
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        match = SOURCE.match(line)
        types.read(line)
        initial = initialiser(lines, number - 1) if is_swift else None
        if match:
            source = match
        elif not line.strip():
            source = source if depth and not is_swift else None
        elif name := (initial if initial not in CONFORMING else None) or named(line, is_swift, depth):
            if not source:
                raise InventoryError(f"{path.name}:{number}: {name} has no source on the line above it")
            name = f"{types.name}.{name}" if initial else name
            found.append((name, source["source"], source["since"], not source["unsure"], []))
        if is_swift and found and (match := CASES.match(line.split("{")[-1].strip())):
            found[-1][-1].extend(re.findall(r"(?:^|, )(`?\w+`?)", match.group(1)))
        if not is_swift:
            depth += line.count("{") - line.count("}")
    return found


def initialiser(lines, number):
    """The name of the initialiser that begins in a line, without its type; None for another line."""
    if not (match := INIT.match(lines[number])):
        return None
    parameters = match.group(1)
    while parameters.count("(") >= parameters.count(")") and number + 1 < len(lines):
        number += 1
        parameters += " " + lines[number].split("{")[0]
    # Types of closures and tuples have labels, too.
    flat = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", parameters.rsplit(")", 1)[0]))
    labels = LABEL.findall(re.sub(r"\[[^]]*\]|<[^>]*>", "", flat))
    return f"init({''.join(label + ':' for label in labels)})"


class Types:
    """The types that the lines of a file lie in."""

    def __init__(self):
        self.around = []

    def read(self, line):
        indent = len(line) - len(line.lstrip())
        if line.strip() and not line.lstrip().startswith("//"):
            self.around = [(depth, name) for depth, name in self.around if depth < indent]
        if match := TYPE.match(line):
            self.around.append((indent, match.group(1)))

    @property
    def name(self):
        return ".".join(name for _, name in self.around)


def named(line, is_swift, depth):
    """What a line declares; nil for nothing."""
    if is_swift:
        match = SWIFT.match(line)
        return match.group(1) if match and match.group(1) not in CONFORMING else None
    if depth and not line.startswith("}"):
        return None
    for pattern in C:
        if match := pattern.match(line):
            return match.group(1)
    return None


def words_of(path):
    """The names that a file's code has."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    return set(re.findall(r"\w+", text))


# An import, whether importers of the file's module import it too, and the module.
IMPORT = re.compile(r"^\s*(@_exported\s+)?(?:(?:public|package|internal|@\w+)\s+)*import\s+(?:class |struct |enum |protocol |func |var |typealias )?(\w+)", re.M)


def imports_of(path):
    """What a file imports: (module, whether importers of its own module have it too)."""
    return [(found[2], bool(found[1])) for found in IMPORT.finditer(path.read_text(encoding="utf-8"))]


def exports(root):
    """For each module of ours or of the declarations, those that come with it."""
    found = {}
    for parent in [root / "Stubs/Apple", root / "Sources/Library"]:
        for folder in parent.iterdir():
            lines = [line for path in folder.rglob("*.swift") for line in imports_of(path)]
            found[folder.name] = {module for module, is_exported in lines if is_exported}
    return found


def seen_by(path, exported):
    """The modules whose names a file can have; a file in C has those of C."""
    if path.suffix != ".swift":
        return {"C"}
    seen, rest = set(), [module for module, _ in imports_of(path)]
    while rest:
        module = rest.pop()
        if module not in seen:
            seen.add(module)
            rest += exported.get(module, ())
    return seen


def page(root, used, modules):
    """The page; raises InventoryError for a declaration without a source, or that nothing uses."""
    exported = exports(root)
    ours = [(path, words_of(path), seen_by(path, exported)) for path in used]
    stubs = [path for path in sorted((root / "Stubs/Apple").rglob("*")) if path.suffix in (".h", ".swift")]
    counts = {}
    for path in stubs:
        for word in re.findall(r"\w+", re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))):
            counts[word] = counts.get(word, 0) + 1
    rows, all_of_them = [], [(path, row) for path in stubs for row in declarations(path)]
    times = {}
    for _, row in all_of_them:
        times[row[0]] = times.get(row[0], 0) + 1
    for path, (name, source, since, is_sure, cases) in all_of_them:
        module = path.relative_to(root / "Stubs/Apple").parts[0]
        needed = set(re.findall(r"\w+", name.replace(".init(", " "))) - {"_"} if ".init(" in name else {name}
        users = [file.name for file, words, seen in ours if needed <= words and module in seen]
        # A type of another declaration is used by what uses that, and an initialiser by those of other types.
        if not users and all(counts[word] <= times.get(word, 0) for word in needed):
            raise InventoryError(f"{path.relative_to(root)}: nothing uses {name}; remove it")
        shown = ", ".join(users[:3]) + (f" and {len(users) - 3} more" if len(users) > 3 else "")
        link = f"[page]({source})" if source.startswith("https://") else source
        state = "type-checked" + ("" if is_sure else " ?")
        named = f"`{name}`" + (f": {', '.join(cases)}" if cases else "")
        rows.append(f"| {module}: {named} | {link} | {since} | {shown or 'another declaration'} | {state} |\n")
    # What is declared for several types of a parameter has one row.
    return HEAD.format(modules=", ".join(modules)) + "".join(dict.fromkeys(rows))

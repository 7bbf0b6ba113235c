"""Where the Swift of the package is: the modules of the library, and the programs."""

FOLDERS = ["Sources", "Apps"]


def swift_files(root):
    """The Swift files of all modules, sorted."""
    return sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.swift"))


def modules(root):
    """The folder of each module that has Swift in it, by name: Sources/Library/Ikran, Apps/ikran-cli."""
    parts = [path.relative_to(root).parts for path in swift_files(root)]
    folders = {part[: 3 if part[0] == "Sources" else 2] for part in parts}
    return {folder[-1]: root.joinpath(*folder) for folder in folders}

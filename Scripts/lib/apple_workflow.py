"""What is wrong with the workflow that builds and tests on a Mac, which cannot be run here."""

import re

try:
    import yaml
except ImportError:
    yaml = None

WORKFLOW = ".github/workflows/apple.yml"
FIRST = "# Written without a Mac; it has never run."

SAMPLE = f"{FIRST}\njobs:\n  mac:\n    steps:\n      - run: |\n          Scripts/test\n          swift test --filter IkranAppleTests\n"
# What is put in the place of what, and what is then said.
BROKEN = [
    (FIRST, "# Tested.", "its first line"),
    ("steps:", "steps: {", "no YAML"),
    ("jobs:", "works:", "no jobs"),
    ("Scripts/test", "Scripts/missing", "Scripts/missing"),
    ("IkranAppleTests", "IkranPearTests", "IkranPearTests"),
    ("swift test", "xcodebuild -scheme Pear test", "Pear"),
]


def steps(text):
    """The commands of all jobs; raises ValueError when it is no workflow."""
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"is no YAML: {error}") from error
    jobs = read.get("jobs") if isinstance(read, dict) else None
    if not jobs:
        raise ValueError("has no jobs")
    return [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]


def faults(root, text):
    """What it names that is not there, and what it does not say; empty when all is well."""
    found = [] if text.startswith(FIRST + "\n") else [f"its first line is not “{FIRST}”"]
    try:
        commands = "\n".join(steps(text))
    except ValueError as error:
        return [*found, str(error)]
    package = (root / "Package.swift").read_text(encoding="utf-8")
    schemes = re.findall(r'^  name: "(\w+)"', package, re.M)
    for script in re.findall(r"\bScripts/[\w-]+", commands):
        found += [] if (root / script).exists() else [f"there is no {script}"]
    for target in re.findall(r"\bIkran\w*", commands):
        found += [] if f'"{target}"' in package else [f"there is no target {target}"]
    for scheme in re.findall(r"-scheme (\S+)", commands):
        found += [] if scheme in [f"{name}-Package" for name in schemes] else [f"there is no scheme {scheme}"]
    return found


def check(root):
    """What is wrong with the workflow, or with this check: a list of sentences; None where YAML cannot be read."""
    if not yaml:
        return None
    wrong = [f"{WORKFLOW}: {fault}" for fault in faults(root, (root / WORKFLOW).read_text(encoding="utf-8"))]
    wrong += [f"the sample has a fault: {fault}" for fault in faults(root, SAMPLE)]
    for old, new, said in BROKEN:
        if not any(said in fault for fault in faults(root, SAMPLE.replace(old, new))):
            wrong.append(f"the sample with “{new}” has no fault")
    return wrong

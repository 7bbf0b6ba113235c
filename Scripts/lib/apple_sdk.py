"""Compilers for an Apple target on Linux: the standard library from its interfaces, and our declarations."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

# A target: its name for compilers with 64-bit Intel, that of its modules' files, and those for which C is checked.
# A watch has C alone: some have pointers of 32 bits.
TARGETS = {
    "ios": ("x86_64-apple-ios18.0-simulator", "x86_64-apple-ios-simulator", ["arm64-apple-ios18.0", "arm64_32-apple-watchos11.0"]),
    "macosx": ("x86_64-apple-macosx15.0", "x86_64-apple-macos", ["arm64-apple-macosx15.0"]),
}
LIBRARY = ["Swift", "_Concurrency", "Synchronization"]
STUBS = [
    *["Darwin", "Dispatch", "ObjectiveC", "CoreFoundation", "Foundation", "CryptoKit", "Network", "CoreGraphics", "ImageIO"],
    *["QuartzCore", "Testing", "SwiftUI"],
]
# What one platform alone has: canImport is false on the other.
PLATFORM_STUBS = {"ios": ["UIKit"], "macosx": ["AppKit"]}
# Headers of libraries that every SDK has, in the versions of this machine, which are older.
SDK_HEADERS = ["sqlite3.h", "zconf.h", "zlib.h"]
# What Synchronization's Linux has for its Mutex, which this only declares.
FUTEX = "".join(
    f"@usableFromInline internal func _swift_stdlib_{name} -> Swift.UInt32\n"
    for name in [
        "gettid()",
        "futex_lock(_: UnsafeMutablePointer<Swift.UInt32>)",
        "futex_unlock(_: UnsafeMutablePointer<Swift.UInt32>)",
        "futex_trylock(_: UnsafeMutablePointer<Swift.UInt32>)",
    ]
)
# What the compiler looks for wherever a pointer is passed, when it knows Objective-C.
AUTORELEASING = """
@frozen public struct AutoreleasingUnsafeMutablePointer<Pointee> {
  public let _rawValue: Builtin.RawPointer
}
"""


class ToolError(Exception):
    """A compiler is missing, or the standard library cannot be made."""


def run(command):
    """What a compiler says; empty when it succeeds in silence."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    said = done.stdout + done.stderr
    return said or (f"error: {command[0]} ended with {done.returncode}\n" if done.returncode else "")


class SDK:
    """What is needed to compile for one target."""

    def __init__(self, root, target):
        self.root, self.stubs = root, root / "Stubs/Apple"
        self.triple, self.file, self.machines = TARGETS[target]
        self.declared = STUBS + PLATFORM_STUBS[target]
        compiler = subprocess.run(["swiftc", "--version"], capture_output=True, text=True)
        if compiler.returncode:
            raise ToolError("swiftc is not here; install Swift")
        found = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True).stdout
        self.resources = pathlib.Path(re.search(r'"runtimeResourcePath": "([^"]+)"', found).group(1))
        recipe = compiler.stdout + pathlib.Path(__file__).read_text(encoding="utf-8")
        key = hashlib.sha256(recipe.encode()).hexdigest()[:12]
        self.folder = root / ".build/apple" / key / target
        self.modules = self.folder / "modules"
        self.libraries = self.folder / "headers"
        features = re.findall(r'enable(Upcoming|Experimental)Feature\("(\w+)"\)', (root / "Package.swift").read_text(encoding="utf-8"))
        self.strict = [word for kind, name in features for word in (f"-enable-{kind.lower()}-feature", name)]

    # MARK: - What there is before our modules

    def make(self):
        """Makes what is missing: the standard library, and the modules of the declarations."""
        self.modules.mkdir(parents=True, exist_ok=True)
        (self.folder / "resources").mkdir(exist_ok=True)
        for name in ["shims", "clang", "apinotes"]:
            link = self.folder / "resources" / name
            if not link.is_symlink():
                link.symlink_to(self.resources / name)
        for name in SDK_HEADERS:
            link = self.libraries / name
            link.parent.mkdir(exist_ok=True)
            if not link.is_symlink():
                link.symlink_to(pathlib.Path("/usr/include") / name)
        # What is no longer declared, or no longer a module, cannot be imported either.
        for path in self.modules.iterdir():
            if path.stem not in LIBRARY:
                shutil.rmtree(path)
        for module in LIBRARY:
            if not self.path_of(module).exists():
                self.make_library(module)
        for module in self.declared:
            said = self.compile(module, sorted((self.stubs / module).glob("*.swift")), [], is_stub=True)
            if said:
                raise ToolError(f"the declarations of {module} do not compile:\n{said}")

    def path_of(self, module):
        return self.modules / f"{module}.swiftmodule" / f"{self.file}.swiftmodule"

    def make_library(self, module):
        """Compiles a module from the toolchain's interface for Linux, for this target and without code.

        What is declared for Linux alone stays; nothing that runs comes of it.
        """
        interface = self.resources / "linux" / f"{module}.swiftmodule" / "x86_64-unknown-linux-gnu.swiftinterface"
        if not interface.exists():
            raise ToolError(f"the toolchain has no interface of {module}: {interface}")
        text = interface.read_text(encoding="utf-8")
        text = text.replace("-target x86_64-unknown-linux-gnu", f"-target {self.triple}")
        # Code is optimised for nothing; without it, the module is made in half the time.
        text = text.replace(" -O ", " -Onone ") if module == "Swift" else text
        text = re.sub(r"^import Glibc", "import Darwin", text, flags=re.M)
        text = re.sub(r"^.*@backDeployed.*\n", "", text, flags=re.M)
        extra = []
        if module != "Swift":
            extra = ["-disable-availability-checking"]
            text = text.replace("// swift-module-flags: ", "// swift-module-flags: -disable-availability-checking ", 1)
        text += {"Swift": AUTORELEASING, "Synchronization": FUTEX}.get(module, "")
        ours = self.folder / f"{module}.swiftinterface"
        ours.write_text(text, encoding="utf-8")
        path = self.path_of(module)
        path.parent.mkdir(exist_ok=True)
        made = path.with_suffix(f".{os.getpid()}")
        said = run(
            ["swift-frontend", "-compile-module-from-interface", ours, "-o", made, "-module-name", module, "-parse-stdlib"]
            + ["-target", self.triple, "-disable-objc-interop", "-experimental-skip-all-function-bodies", *extra]
            + self.search()
        )
        if not made.exists():
            raise ToolError(f"{module} cannot be made for {self.triple}:\n{said}")
        made.replace(path)

    def search(self):
        """Where a compiler finds modules."""
        return [
            *["-I", self.modules, "-I", self.stubs / "Darwin", "-resource-dir", self.folder / "resources"],
            *["-module-cache-path", self.folder / "cache"],
        ]

    # MARK: - Our modules

    def compile(self, module, files, headers, is_stub=False):
        """What the Swift compiler says of a module, which others can then import."""
        words = ["swiftc", "-emit-module", "-parse-as-library", "-wmo", "-O", "-swift-version", "6", "-module-name", module]
        words += ["-emit-module-path", self.path_of(module), "-target", self.triple]
        # Nothing runs: without optimising, what is checked takes half the time.
        words += ["-Xfrontend", "-disable-sil-perf-optzns"]
        words += ["-Xfrontend", "-disable-objc-attr-requires-foundation-module"]
        words += ["-Xfrontend", "-disable-implicit-string-processing-module-import"]
        words += ["-Xcc", "-ffreestanding", "-Xcc", f"-I{self.stubs / 'C'}", "-Xcc", f"-I{self.libraries}", *self.search()]
        words += ["-import-underlying-module"] if is_stub and (self.stubs / module / "module.modulemap").exists() else []
        # The declarations have what is in a newer SDK than that of this compiler, too.
        words += [] if is_stub else [*self.strict, "-warnings-as-errors", "-package-name", "ikran", "-D", "IKRAN_NEWEST_SDK"]
        self.path_of(module).parent.mkdir(exist_ok=True)
        return run(words + [word for folder in headers for word in ("-I", folder)] + files)

    def check_c(self, file, headers):
        """What the C compiler says of a file, for the processors of Apple's machines."""
        words = ["clang", "-ffreestanding", "-nostdlibinc", f"-I{self.stubs / 'C'}", f"-I{self.libraries}", f"-I{headers}"]
        words += ["-O2", "-Wall", "-Werror", "-fsyntax-only", file]
        return "".join(run([*words, "-target", machine]) for machine in self.machines)

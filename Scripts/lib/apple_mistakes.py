"""What the self-test of Scripts/apple plants: the mistake, the file's ending, its text, what is said of it."""

FILE = "import Darwin\n"

MISTAKES = [
    ("a module of Linux", "swift", "import Glibc\n", "no such module 'Glibc'"),
    ("a clock of Linux", "swift", FILE + "let clock = CLOCK_MONOTONIC_COARSE\n", "CLOCK_MONOTONIC_COARSE"),
    ("advice of Linux", "swift", FILE + "let advice = MADV_POPULATE_WRITE\n", "MADV_POPULATE_WRITE"),
    (
        "a time's name of Linux",
        "swift",
        FILE + "func time(_ status: stat) -> Int { status.st_mtim.tv_sec }\n",
        "no member 'st_mtim'",
    ),
    (
        "permissions of 32 bits",
        "swift",
        FILE + "func mode(_ status: stat) -> UInt32 { status.st_mode }\n",
        "cannot convert",
    ),
    (
        "a length that is no Int",
        "swift",
        FILE + "func size(_ status: stat) -> Int { status.st_size }\n",
        "cannot convert",
    ),
    (
        "a thread that is a number",
        "swift",
        FILE + "func start() {\n  var thread = pthread_t()\n  pthread_create(&thread, nil, { _ in nil }, nil)\n}\n",
        "pthread_t",
    ),
    (
        "an API newer than the floor",
        "swift",
        "func sum(_ values: InlineArray<2, Int>) -> Int { values[0] + values[1] }\n",
        "is only available in",
    ),
    (
        "a call off the main actor",
        "swift",
        "@MainActor final class View { func draw() {} }\nfunc show(_ view: View) { view.draw() }\n",
        "main actor-isolated",
    ),
    (
        "a value that crosses threads",
        "swift",
        "final class Count { var value = 0 }\n"
        "func send(_ count: Count) async { Task.detached { count.value += 1 }; count.value += 1 }\n",
        "data race",
    ),
    (
        "a wrong selector",
        "swift",
        "import ObjectiveC\nimport QuartzCore\n"
        "final class Target: NSObject {\n  @objc func tick(_ link: CADisplayLink) {}\n"
        "  func name() -> Selector { #selector(tock(_:)) }\n}\n",
        "tock",
    ),
    (
        "a selector that Objective-C does not see",
        "swift",
        "import ObjectiveC\nimport QuartzCore\n"
        "final class Target: NSObject {\n  func tick(_ link: CADisplayLink) {}\n"
        "  func name() -> Selector { #selector(tick(_:)) }\n}\n",
        "not exposed to Objective-C",
    ),
    (
        "a view off the main actor",
        "swift",
        "#if canImport(UIKit)\nimport UIKit\nfunc show(_ view: UIImageView) { view.image = nil }\n"
        "#else\nimport AppKit\nfunc show(_ view: NSImageView) { view.image = nil }\n#endif\n",
        "main actor-isolated",
    ),
    (
        "a view of the other platform",
        "swift",
        "#if canImport(UIKit)\nimport AppKit\n#else\nimport UIKit\n#endif\n",
        "no such module",
    ),
    ("a header of Linux", "c", "#include <malloc.h>\nvoid f(void) { malloc_trim(0); }\n", "malloc.h"),
]

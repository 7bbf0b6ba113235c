#if canImport(Glibc)
/// The memory files of this process's control group (version 2).
package enum ControlGroup {
  /// The folders of the group and of its parents, innermost first; empty outside a group.
  ///
  /// Reads `/proc/self/cgroup`.
  package static func folders() -> [String] {
    guard let text = text(of: "/proc/self/cgroup"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
    else { return [] }
    var parts = line.dropFirst(4).split(separator: "/")
    var folders: [String] = []
    while true {
      folders.append((["/sys/fs/cgroup"] + parts.map(String.init)).joined(separator: "/"))
      guard parts.popLast() != nil else { return folders }
    }
  }

  /// The number in a file such as `memory.max`; nil when it is missing or says "max".
  package static func number(in path: String) -> Int? {
    text(of: path).flatMap { Int($0.prefix { $0 != "\n" }) }
  }

  /// The number after a word at the start of a line, as in `memory.events` and `memory.stat`.
  package static func number(of word: String, in text: String) -> Int? {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ")
      if parts.count >= 2, parts[0] == word { return Int(parts[1]) }
    }
    return nil
  }

  package static func text(of path: String) -> String? {
    guard let bytes = try? Files.read(path, maximumBytes: 1 << 20) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
#endif

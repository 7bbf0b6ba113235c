import Support
import Testing

/// A small disk in one program's mount namespace; it disappears with the program.
enum SmallDisk: String {
  /// In memory: 1,500 KB.
  case tmpfs
  /// A file of 4 MB as a disk, with blocks that are smaller than pages.
  case ext4
  /// A file of 32 MB as a disk; a change of a page is written to another place.
  case btrfs
  /// The same with 256 MB.
  case largeBtrfs

  /// Why tests are skipped where it cannot be mounted.
  var reason: Comment {
    switch self {
    case .tmpfs: "needs unshare, and the right to mount in a namespace"
    case .ext4: "needs root, unshare, a free loop device and mkfs.ext4"
    case .btrfs, .largeBtrfs: "needs root, unshare, a free loop device and mkfs.btrfs"
    }
  }

  /// Whether a program can mount one.
  var isAvailable: Bool { Self.commands[self] != nil }

  /// The commands that start a program in a new mount namespace, as root or as a mapped root user.
  private static let commands: [SmallDisk: [String]] = {
    var commands: [SmallDisk: [String]] = [:]
    for disk in [tmpfs, ext4, btrfs, largeBtrfs] {
      commands[disk] = [["-m"], ["-r", "-m"]].map { ["/usr/bin/unshare"] + $0 }.first { words in
        // If the command or the mount fails, the next command is tried.
        guard let folder = try? TemporaryDirectory() else { return false }
        return (try? disk.run(words, setUp: "", "true", on: folder.path))?.code == 0
      }
    }
    return commands
  }()

  /// Mounts it over the folder `$1`; an image is below the mount, and is removed with the folder.
  private var mount: String {
    switch self {
    case .tmpfs: "mount -t tmpfs -o size=1500k none \"$1\""
    case .ext4:
      """
      truncate -s 4M "$1/image"
      mkfs.ext4 -q -F -b 1024 -m 0 -O ^has_journal "$1/image"
      mount -o loop "$1/image" "$1"
      """
    case .btrfs, .largeBtrfs:
      """
      truncate -s \(self == .btrfs ? 32 : 256)M "$1/image"
      mkfs.btrfs -q -f -M "$1/image" >/dev/null
      mount -o loop "$1/image" "$1"
      """
    }
  }

  /// Takes the disk away and mounts it again, as the same device.
  static let remount = """
    disk=$(findmnt -n -o SOURCE "$1")
    exec 9<"$disk"
    umount "$1"
    mount "$disk" "$1"
    """

  /// Runs a shell command on such a disk, mounted over `folder`; `$0` is the program, `$1` the
  /// folder.
  func run(
    _ program: String,
    setUp: String,
    _ command: String,
    on folder: String
  ) throws -> (code: Int, output: String) {
    let words = try #require(Self.commands[self])
    return try run(words, setUp: setUp, "exec \"$0\" \(command) \"$1\"", program, on: folder)
  }

  private func run(
    _ unshare: [String],
    setUp: String,
    _ command: String,
    _ program: String = "sh",
    on folder: String
  ) throws -> (code: Int, output: String) {
    let script = """
      set -e
      PATH=$PATH:/usr/sbin:/sbin
      \(mount)
      \(setUp)
      \(command)
      """
    return try ChildProcess(command: unshare + ["/bin/sh", "-c", script, program, folder]).finish()
  }
}

import Glibc
import IkranCodecs
import IkranIsolation
import IkranPixels
import IkranSystem

/// Seals this process as decoders seal theirs, and tries what they must not be able to do.
///
/// It prints a line for each attempt: its name, and `errno`, or 0 where it succeeded.
enum SealedProcess {
  /// Ends the process.
  static func attempt(decoding path: String) throws -> Never {
    let file = try Files.read(path)
    // What was open before, and a decoder does not have.
    let socketBefore = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard DecoderWorker.seal() else { _exit(2) }
    try attemptNetwork(socketBefore)
    attemptFiles()
    attemptProcesses()
    attemptMemory()
    report("decode", try decodes(file))
    fflush(nil)
    // Without what a sanitizer does at the end, which starts a process.
    _exit(0)
  }

  private static func decodes(_ file: [UInt8]) throws -> Bool {
    try CodecList.standard.decode(file.span).bitmap.width > 0
  }

  /// Prints the outcome of a call that has just been made.
  private static func report(_ name: String, _ succeeded: Bool) {
    let code = errno
    print(name, succeeded ? 0 : code)
  }

  private static func attemptNetwork(_ socketBefore: Int32) throws {
    report("socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0)
    report("local-socket", socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(9).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafeBytes(of: &address) { bytes in
      bytes.baseAddress.map {
        connect(
          socketBefore,
          $0.assumingMemoryBound(to: sockaddr.self),
          socklen_t(bytes.count)
        )
      }
    }
    report("connect", code == 0)
  }

  private static func attemptFiles() {
    report("open-read", open("/etc/passwd", O_RDONLY) >= 0)
    report("open-write", open("/etc/passwd", O_WRONLY) >= 0)
    report("create", open("/tmp/ikran-sealed-process", O_CREAT | O_WRONLY, 0o600) >= 0)
    report("unlink", unlink("/tmp/ikran-sealed-process") == 0)
    report("environment", open("/proc/self/environ", O_RDONLY) >= 0)
  }

  private static func attemptProcesses() {
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    report("execve", execv("/bin/true", &arguments) == 0)
    report("kill", kill(getppid(), 0) == 0)
    // Swift has no name for these.
    typealias Fork = @convention(c) () -> pid_t
    typealias Trace = @convention(c) (Int, pid_t, Int, Int) -> Int
    typealias SystemCall = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
    guard let fork = dlsym(nil, "fork"), let trace = dlsym(nil, "ptrace"),
      let call = dlsym(nil, "syscall")
    else { return }
    report("fork", isStarted(unsafeBitCast(fork, to: Fork.self)()))
    // SIGCHLD alone: a process, as fork makes it.
    let clone = unsafeBitCast(call, to: SystemCall.self)
    report("clone", isStarted(pid_t(clone(cloneNumber, Int(SIGCHLD), 0, 0, 0, 0, 0))))
    report("ptrace", unsafeBitCast(trace, to: Trace.self)(16, getppid(), 0, 0) == 0)
  }

  /// Whether there is another process; that one ends.
  private static func isStarted(_ process: pid_t) -> Bool {
    if process == 0 { _exit(0) }
    return process > 0
  }

  #if arch(x86_64)
  private static let cloneNumber = 56
  #else
  private static let cloneNumber = 220
  #endif

  private static func attemptMemory() {
    let (readable, flags) = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS)
    report("mmap-5-gigabytes", mmap(nil, 5 << 30, readable, flags, -1, 0) != MAP_FAILED)
    report("mmap-code", mmap(nil, 4_096, readable | PROT_EXEC, flags, -1, 0) != MAP_FAILED)
  }
}

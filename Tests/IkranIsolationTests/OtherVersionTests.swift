import Glibc
import IkranCodecs
import IkranSystem
import TestBasics
import Testing

@testable import IkranIsolation

extension OneAfterTheOther {
  /// A decoder that was installed with another version of Ikran.
  @Suite(.enabled(if: access("/usr/bin/python3", X_OK) == 0, "python3 is not installed"))
  struct OtherVersionTests {
    /// Reads where a request lies from its channel, and the request from the memory that both share;
    /// it knows no request but those of its own version, and ends with a decoder's code for that.
    private static let program = """
      #!/usr/bin/python3 -IS
      import mmap, os, struct
      message, place, count, size = struct.unpack("=4q", os.read(3, 32))
      with mmap.mmap(4, size) as memory:
          version, = struct.unpack_from("=q", memory)
      os._exit(0 if version == -1 else 72)

      """

    @Test func itIsNamedAndNoFileIsBlamed() throws {
      let folder = try TemporaryDirectory()
      let path = "\(folder.path)/ikran-decoder"
      try Files.create(path, Array(Self.program.utf8))
      chmod(path, 0o700)
      let codecs = CodecList.standard.isolated(.all, in: DecoderPool(path: path))
      let picture = Decoders.picture
      let reason = "it belongs to another version of Ikran"
      // One more than the crashes after which a file would be refused.
      for _ in 0...DecoderPool.mostCrashes {
        let error = #expect(throws: DecodeError.self) { try codecs.decode(picture.span) }
        #expect(error == .isolated(.png, .notStarted(reason: reason)))
      }
    }
  }
}

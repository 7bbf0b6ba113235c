import Foundation
import IkranPixels

/// Pillow, another decoder, as far as this system has it (Debian: python3-pil).
enum Pillow {
  /// Prints the size and the number of frames, then all frames with straight alpha.
  private static let script = """
    import struct, sys
    from PIL import Image
    out = sys.stdout.buffer
    with Image.open(sys.argv[1]) as image:
        count = getattr(image, "n_frames", 1)
        out.write(struct.pack("<III", *image.size, count))
        for number in range(count):
            image.seek(number)
            out.write(image.convert("RGBA").tobytes())
    """

  /// Prints the size of the first picture, turned upright as TIFF files say, and its pixels with
  /// straight alpha.
  private static let pictureScript = """
    import struct, sys
    from PIL import Image
    out = sys.stdout.buffer
    with Image.open(sys.argv[1]) as image:
        if image.mode[0] in "IF":
            sys.exit("samples of more than eight bits are cut off")
        pixels = image.convert("RGBA")
        out.write(struct.pack("<II", *pixels.size) + pixels.tobytes())
    """

  /// Whether it can be imported.
  static let isInstalled = run(["-c", "import PIL"]) != nil

  /// The frames of a file as straight red, green, blue, alpha; nil when Pillow cannot read it.
  static func frames(ofFile path: String) -> [[UInt8]]? {
    guard let bytes = run(["-c", script, path]), bytes.count >= 12 else { return nil }
    let words = (0..<3).map { word in
      (0..<4).reduce(0) { $0 | Int(bytes[word * 4 + $1]) << ($1 * 8) }
    }
    let length = words[0] * words[1] * 4
    guard bytes.count == 12 + length * words[2] else { return nil }
    return (0..<words[2]).map { Array(bytes[12 + $0 * length..<12 + ($0 + 1) * length]) }
  }

  /// The first picture of a file as straight red, green, blue, alpha; nil when Pillow cannot read
  /// it, or not with the colours that are meant.
  static func picture(ofFile path: String) -> (size: PixelSize, pixels: [UInt8])? {
    guard let bytes = run(["-c", pictureScript, path]), bytes.count >= 8 else { return nil }
    let sides = (0..<2).map { side in
      (0..<4).reduce(0) { $0 | Int(bytes[side * 4 + $1]) << ($1 * 8) }
    }
    return (PixelSize(width: sides[0], height: sides[1]), Array(bytes[8...]))
  }

  /// A file that a script writes to its output, `out`; nil when Pillow cannot write it.
  static func file(madeBy script: String) -> [UInt8]? {
    run(["-c", "import io, sys\nfrom PIL import Image\nout = sys.stdout.buffer\n" + script])
  }

  /// What Python prints; nil when it fails.
  private static func run(_ arguments: [String]) -> [UInt8]? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    // Not installed is the same as not usable.
    guard (try? process.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? [UInt8](data) : nil
  }
}

import CFuzz
import Glibc

/// What is fuzzed.
enum Target: String, CaseIterable {
  case decode, jpeg, png, raster, media, jxl, svg, tiff, wire, color, table, disk, http, text

  /// One line for the list of targets.
  var summary: String {
    switch self {
    case .decode: "all codecs, stills and animations; PNG is written and read back"
    case .jpeg: "baseline and progressive JPEG against libjpeg-turbo"
    case .png: "rows of PNG against libpng, files and generated ones"
    case .raster: "QOI, PNM, BMP, icons and raw files, whole, in parts and cut off"
    case .media: "AVIF, parts of pictures against the whole; HEIC"
    case .jxl: "rectangles, beginnings and frames of JPEG XL against the whole"
    case .svg: "SVG, plain and compressed, drawn twice, in parts and cut off"
    case .tiff: "rectangles and beginnings of TIFF files against the whole"
    case .wire: "what a decoder in another process sends back, and what it is asked"
    case .color: "profiles and other descriptions of colours, and conversions made of them"
    case .table: "files of image tables, then operations, against a model"
    case .disk: "the disk cache's index and files, then operations, against a model"
    case .http: "fields, dates, ranges, encodings, addresses, stored responses"
    case .text: "styles, filters, tables of colours, placeholders; filters run"
    }
  }

  /// The bytes of the longest input; seeds that are longer are cut off.
  var maximumLength: Int {
    switch self {
    case .decode, .jpeg, .png, .raster, .media, .jxl, .tiff: 32_768
    case .svg: 8192
    case .color, .wire: 4096
    case .table, .disk: 512
    case .http, .text: 2048
    }
  }

  /// The name endings of files that are seeds, with `|` between them.
  var fileTypes: String {
    switch self {
    case .decode: "jpg|jpeg|png|apng|gif|webp|avif|jxl|svg|svgz|tif|tiff|qoi|bmp|ico|cur"
    case .jpeg: "jpg|jpeg"
    case .png: "png"
    case .raster: "qoi|pbm|pgm|ppm|pam|pnm|bmp|ico|cur|cr2|nef|dng|arw|raf"
    case .media: "avif|heic|heif"
    case .jxl: "jxl"
    case .svg: "svg|svgz"
    case .tiff: "tif|tiff"
    case .wire, .color, .table, .disk, .http, .text: "-"
    }
  }

  /// Inputs to start with.
  var seeds: [[UInt8]] {
    switch self {
    case .decode, .media, .jxl, .svg, .tiff: []
    case .jpeg: JPEGTarget.seeds
    case .png: PNGTarget.seeds
    case .raster: RasterTarget.seeds
    case .wire: WireTarget.seeds
    case .color: ColorTarget.seeds
    case .table: TableTarget.seeds
    case .disk: DiskTarget.seeds
    case .http: HTTPTarget.seeds
    case .text: TextTarget.seeds
    }
  }

  /// Runs libFuzzer with its arguments; returns its exit code.
  func start(
    _ count: inout CInt,
    _ arguments: inout UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  ) -> CInt {
    guard var words = arguments else { return 2 }
    // A C function has no context: there is one for each target.
    switch self {
    case .decode: return LLVMFuzzerRunDriver(&count, &words) { DecodeTarget.run(input($0, $1)) }
    case .jpeg: return LLVMFuzzerRunDriver(&count, &words) { JPEGTarget.run(input($0, $1)) }
    case .png: return LLVMFuzzerRunDriver(&count, &words) { PNGTarget.run(input($0, $1)) }
    case .raster: return LLVMFuzzerRunDriver(&count, &words) { RasterTarget.run(input($0, $1)) }
    case .media: return LLVMFuzzerRunDriver(&count, &words) { MediaTarget.run(input($0, $1)) }
    case .jxl: return LLVMFuzzerRunDriver(&count, &words) { JXLTarget.run(input($0, $1)) }
    case .svg: return LLVMFuzzerRunDriver(&count, &words) { SVGTarget.run(input($0, $1)) }
    case .tiff: return LLVMFuzzerRunDriver(&count, &words) { TIFFTarget.run(input($0, $1)) }
    case .wire: return LLVMFuzzerRunDriver(&count, &words) { WireTarget.run(input($0, $1)) }
    case .color: return LLVMFuzzerRunDriver(&count, &words) { ColorTarget.run(input($0, $1)) }
    case .table: return LLVMFuzzerRunDriver(&count, &words) { TableTarget.run(input($0, $1)) }
    case .disk: return LLVMFuzzerRunDriver(&count, &words) { DiskTarget.run(input($0, $1)) }
    case .http: return LLVMFuzzerRunDriver(&count, &words) { HTTPTarget.run(input($0, $1)) }
    case .text: return LLVMFuzzerRunDriver(&count, &words) { TextTarget.run(input($0, $1)) }
    }
  }
}

/// The bytes that libFuzzer lends for one run: a block of exactly this size, so that reads past its
/// end are found.
typealias Input = UnsafeBufferPointer<UInt8>

private func input(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Input {
  Input(start: start, count: count)
}

/// Reads an input as numbers; zeros after its end.
struct InputReader {
  private let bytes: Input
  private(set) var position = 0

  init(_ bytes: Input) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func byte() -> Int {
    defer { position += 1 }
    return position < bytes.count ? Int(bytes[position]) : 0
  }

  mutating func word() -> Int { byte() | byte() << 8 }

  mutating func long() -> UInt64 { (0..<8).reduce(0) { sum, _ in sum << 8 | UInt64(byte()) } }

  /// A number below `limit`, which is at most 65,536.
  mutating func below(_ limit: Int) -> Int {
    limit <= 1 ? 0 : (limit <= 256 ? byte() : word()) % limit
  }

  /// What has not been read.
  var rest: [UInt8] { Array(bytes.dropFirst(position)) }
}

/// Numbers at which arithmetic goes wrong.
let interestingNumbers: [UInt64] = [
  0, 1, 2, 3, 7, 64, 65, 127, 255, 256, 511, 512, 4095, 4096, 65_535, 0x7FFF_FFFF, 0x8000_0000,
  0xFFFF_FFFF, 1 << 32, 1 << 40, 1 << 44, 1 << 58, 1 << 61, 1 << 62, 1 << 63, .max - 1, .max,
]

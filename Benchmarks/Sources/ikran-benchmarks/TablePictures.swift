import CPeers
import Glibc
import Ikran
import IkranStores

/// 10,000 small pictures with round corners, as they come out of a list's styles.
final class TablePictures: @unchecked Sendable {  // the pixels never change after init
  static let count = 10_000
  static let size = PixelSize(width: 96, height: 96)
  static let byteCount = 96 * 96 * 4
  private static let drawings = 256

  /// All pictures, one after the other.
  let pixels: UnsafePointer<UInt8>
  private let memory: UnsafeMutableRawPointer

  /// Draws some and gives each of the others a number of its own.
  init() throws {
    let (count, bytes) = (Self.count, Self.byteCount)
    memory = .allocate(byteCount: count * bytes, alignment: 4096)
    pixels = UnsafePointer(memory.bindMemory(to: UInt8.self, capacity: count * bytes))
    let style = Style.rounded(width: 96, height: 96, cornerRadius: 12)
    let workspace = Workspace()
    for index in 0..<count {
      let place = memory + index * bytes
      if index < Self.drawings {
        let photo = try Photo.draw(Self.size, seed: UInt32(index))
        let picture = try style.applyFiltersAndEdges(photo, scale: 1, workspace: workspace)
        picture.withBytes { pixels in
          for offset in pixels.indices {
            place.storeBytes(of: pixels[offset], toByteOffset: offset, as: UInt8.self)
          }
        }
      } else {
        place.copyMemory(from: memory + index % Self.drawings * bytes, byteCount: bytes)
      }
      // In the middle, where no corner is.
      place.storeBytes(of: UInt64(index), toByteOffset: bytes / 2, as: UInt64.self)
    }
  }

  deinit { memory.deallocate() }

  /// One of the pictures, without a copy; any number is taken modulo the count.
  func bitmap(_ index: Int) throws(BitmapError) -> Bitmap {
    let start = memory + index % Self.count * Self.byteCount
    return try Bitmap(
      lending: UnsafeRawBufferPointer(start: start, count: Self.byteCount),
      size: Self.size,
      format: .bgra,
      bytesPerRow: Self.size.width * 4,
      owner: self
    )
  }

  /// What reading every byte of a picture gives.
  func sum(_ index: Int) -> UInt64 {
    peers_sum(memory + index % Self.count * Self.byteCount, Self.byteCount)
  }
}

/// The ids of the pictures: scattered, and the same in every process and run.
enum PictureIDs {
  /// The id of a picture, for a table.
  static func table(_ index: Int) -> TableID {
    let id = peer(index)
    return TableID(high: id.high, low: id.low)
  }

  /// The id of a picture, for the peers.
  static func peer(_ index: Int) -> peers_id {
    var numbers = SeededNumbers(seed: UInt64(index) &* 2 &+ 1)
    return peers_id(high: numbers.next(), low: numbers.next())
  }
}

/// A long random order in which the pictures are asked for, walked through batch by batch.
///
/// A batch begins where the one before ended: pictures that were just read do not come again.
struct RandomOrder {
  private static let length = 1 << 16
  let indices: [Int]
  let tableIDs: [TableID]
  let peerIDs: [peers_id]
  private var position = 0

  /// - Parameters:
  ///   - count: How many pictures to choose from.
  ///   - seed: Equal seeds give equal orders.
  init(of count: Int, seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    indices = (0..<Self.length).map { _ in Int.random(in: 0..<count, using: &numbers) }
    tableIDs = indices.map(PictureIDs.table)
    peerIDs = indices.map(PictureIDs.peer)
  }

  /// Moves on by `count` and calls `body` with the stretches that make it up.
  mutating func advance(_ count: Int, _ body: (Range<Int>) throws -> Void) rethrows {
    var left = count
    while left > 0 {
      let end = min(position + left, Self.length)
      try body(position..<end)
      left -= end - position
      position = end % Self.length
    }
  }
}

/// SplitMix64: numbers that depend on the seed alone.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  /// Starts a sequence.
  init(seed: UInt64) { state = seed }

  /// The next number.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

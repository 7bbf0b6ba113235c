/// Names a picture by its size, its format and its pixels, or bytes, in 128 bits.
///
/// It tells pictures apart that are not made to collide; it is no signature.
package struct ContentDigest: Sendable, Hashable {
  private var first: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var second: UInt64 = 0xC2B2_AE3D_27D4_EB4F

  init(of picture: Bitmap) {
    add(UInt64(picture.width))
    add(UInt64(picture.height))
    add(UInt64(picture.format.rawValue))
    for y in 0..<picture.height { picture.withRow(y) { add($0) } }
  }

  init(of numbers: [Float]) {
    add(UInt64(numbers.count))
    for number in numbers { add(UInt64(number.bitPattern)) }
  }

  /// Names bytes; with a secret seed, two that collide are hard to make.
  package init(of bytes: Span<UInt8>, seed: UInt64) {
    (first, second) = (first ^ seed, second &+ seed)
    add(UInt64(bytes.count))
    add(bytes)
  }

  private mutating func add(_ row: Span<UInt8>) {
    var word: UInt64 = 0
    for index in row.indices {
      word = word << 8 | UInt64(row[index])
      if index & 7 == 7 {
        add(word)
        word = 0
      }
    }
    add(word)
  }

  private mutating func add(_ word: UInt64) {
    let one = (first ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    first = one.high ^ one.low &+ 0x1656_67B1_9E37_79F9
    let other = (second &+ word).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
    second = (other.high ^ other.low) &+ first
  }
}

extension ContentDigest: CustomStringConvertible {
  /// 32 hexadecimal digits.
  package var description: String {
    [first, second].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// A part of the entropy-coded bytes that is decoded without knowing where its first block begins.
///
/// Huffman codes synchronize themselves: a decoder that starts at any bit, as if a block began
/// there, soon reaches a bit where a block of the picture begins – after some 130 bytes, in photos.
/// All later blocks are then the picture's.
struct Segment {
  /// The bits of the window that its blocks begin in.
  let bits: Range<Int>
  /// The most blocks it may hold.
  let capacity: Int
  /// The bit each block begins at.
  let starts: UnsafeMutablePointer<UInt32>
  /// The coefficients of its blocks, as many per block as its slot has room for; DC is a
  /// difference.
  let values: UnsafeMutablePointer<Int16>
  /// The position of its first block in the MCU.
  var blockInMCU = 0
  /// How often decoding met bits that are no codeword, and started again one bit later.
  var failures = 0
  /// How many blocks it holds.
  var count = 0
  /// The bit after its last block.
  var end = 0
}

import CFuzz
@testable import IkranCodecs

/// libFuzzer calls this for every mutation.
///
/// What a file's checks would refuse is repaired, so that mutations reach what is after the checks.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ bytes: UnsafeMutablePointer<UInt8>,
  _ count: Int,
  _ most: Int,
  _ seed: UInt32
) -> Int {
  var dice = Dice(seed)
  if count > 64, bytes[0] == 0xFF, bytes[1] == 0xD8, dice.below(8) > 0 {
    return mutateJPEG(bytes, count, most, &dice)
  }
  let isPNG = count > 33 && bytes[0] == 0x89 && bytes[1] == 0x50
  let changed = LLVMFuzzerMutate(bytes, count, most)
  if isPNG, dice.below(4) > 0 {
    repairPNG(UnsafeMutableBufferPointer(start: bytes, count: changed))
  }
  return changed
}

private struct Dice {
  private var state: UInt64

  init(_ seed: UInt32) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 20) % limit
  }
}

/// Writes the checksums of all chunks.
private func repairPNG(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
  var offset = 8
  while let chunk = PNGChunk(Input(bytes).span, at: offset) {
    let sum = InflateHandle.crc32(
      Input(bytes).span.extracting(offset + 4..<chunk.body.upperBound)
    )
    for index in 0..<4 {
      bytes[chunk.body.upperBound + index] = UInt8(
        truncatingIfNeeded: sum >> UInt32(24 - 8 * index)
      )
    }
    offset = chunk.end
  }
}

/// Mostly changes the data of a scan, in which it keeps markers rare.
private func mutateJPEG(
  _ bytes: UnsafeMutablePointer<UInt8>,
  _ count: Int,
  _ most: Int,
  _ dice: inout Dice
) -> Int {
  var (frame, restart, scans) = (0, 0, [Int]())
  var offset = 2
  while offset + 4 <= count {
    guard bytes[offset] == 0xFF, ![0x00, 0xFF].contains(bytes[offset + 1]) else {
      offset += 1
      continue
    }
    let marker = bytes[offset + 1]
    let end = offset + 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
    switch marker {
    case 0xC0...0xC2: frame = offset + 4
    case 0xDD: restart = offset + 4
    case 0xDA: scans.append(end)
    case 0xD0...0xD9:
      offset += 2
      continue
    default: break
    }
    offset = max(end, offset + 2)
  }
  guard !scans.isEmpty else { return LLVMFuzzerMutate(bytes, count, most) }
  let scan = scans[dice.below(scans.count)]
  guard scan + 16 < count else { return LLVMFuzzerMutate(bytes, count, most) }
  switch dice.below(12) {
  case 0 where frame > 0 && frame + 8 < count:
    for (index, limit) in [(1, 1), (2, 255), (3, 1), (4, 255)] {
      bytes[frame + index] = UInt8(index % 2 == 0 ? 1 + dice.below(limit) : 0)
    }
  case 1 where frame > 0 && frame + 8 < count:
    bytes[frame + 7] = [0x11, 0x21, 0x12, 0x22, 0x41, 0x14][dice.below(6)]
  case 2 where restart > 0 && restart + 2 < count:
    (bytes[restart], bytes[restart + 1]) = (0, UInt8(dice.below(20)))
  case 3: bytes[2 + dice.below(scan - 2)] = UInt8(dice.below(256))
  case 4, 5:
    for _ in 0...dice.below(4) {
      bytes[scan + dice.below(count - scan)] ^= UInt8(1 << dice.below(8))
    }
  default:
    let part = LLVMFuzzerMutate(bytes + scan, count - scan, most - scan)
    stuff(UnsafeMutableBufferPointer(start: bytes + scan, count: part), &dice)
    return scan + part
  }
  return count
}

/// Makes most bytes after 0xFF zero, as they are in a scan's data.
private func stuff(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ dice: inout Dice) {
  guard dice.below(4) > 0, bytes.count > 1 else { return }
  for index in 0..<bytes.count - 1 where bytes[index] == 0xFF {
    let next = bytes[index + 1]
    // Markers between scans stay, as a progressive file needs them.
    if ![0x00, 0xC4, 0xDA, 0xD9].contains(next), !(0xD0...0xD7 ~= next && dice.below(3) > 0) {
      bytes[index + 1] = 0
    }
  }
}

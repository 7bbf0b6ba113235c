/// The limits a memory cache has when none are given.
public enum MemoryCacheDefaults {
  /// An eighth of the memory this process may use (a control group's limit counts), but at least
  /// 16 MiB and at most 512 MiB.
  public static let byteLimit = min(max(PhysicalMemory.bytes() / 8, 16 << 20), 512 << 20)

  /// 100,000 values, which bounds what the entries take beside them: about 200 bytes each.
  public static let countLimit = 100_000

  /// A quarter of the byte limit holds while the program is in the background.
  public static let backgroundShare = 0.25

  // A value is small when it costs no more bytes than `smallCost`, and no more than one part in
  // `smallShare` of the limit. Small ones are safe from large ones within one part in
  // `reserveShare` of it.
  static let smallCost = 100_000
  static let smallShare = 256
  static let reserveShare = 4
}

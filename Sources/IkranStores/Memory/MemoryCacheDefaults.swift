/// The limits a memory cache has when none are given.
public enum MemoryCacheDefaults {
  /// An eighth of the memory this process may use (a control group's limit counts), but at least
  /// 16 MiB and at most 512 MiB.
  public static let byteLimit = min(max(PhysicalMemory.bytes() / 8, 16 << 20), 512 << 20)

  /// 100,000 values, which bounds what the entries take beside them: about 200 bytes each.
  public static let countLimit = 100_000
}

extension DiskCache {
  /// The data beside the body under a key, which is not read itself; nil when there is no entry.
  ///
  /// It counts as an access, but neither as a hit nor as a miss. Folders that are only read are not
  /// asked.
  public func extended(for key: String) throws(DiskCacheError) -> [UInt8]? {
    let name = try form.name(of: key)
    guard let row = try find(name)?.row, row.isSound, try isOf(row, name) else { return nil }
    return try form.extended(of: row)
  }
}

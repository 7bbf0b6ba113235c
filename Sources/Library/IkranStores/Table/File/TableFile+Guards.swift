import IkranSystem

// What keeps a call from touching bytes that are not there: each would be a signal (`SIGBUS`).
extension TableFile {
  /// Allocates the header's page before the first store into it: a copy may have holes in it where
  /// a block of the file system is smaller than a page.
  ///
  /// - Throws: `SystemError`; `ENOSPC` when the disk is full.
  static func prepareHeader(_ mapped: MappedFile, _ status: MappedFile.Status) throws(SystemError) {
    guard status.storedByteCount < status.byteCount else { return }
    try mapped.preallocate(0..<TableLayout.headerByteCount)
  }

  /// The state of the file before a change, which may store into it; nil when a check was made in
  /// the 16 ms before, see ``NameCheck``.
  ///
  /// - Throws: ``TableError``; `damaged` when another program has cut the header off, `full` when
  ///   stores need room that the disk lacks.
  func statusForChange(
    now: Int64,
    lastCheck: Int64?
  ) throws(TableError) -> MappedFile.Status? {
    guard !mapped.lacksRoom else { throw .full(path: mapped.path) }
    if let lastCheck, now - lastCheck < 16_000_000 { return nil }
    let status: MappedFile.Status
    do throws(SystemError) { status = try mapped.status() } catch { throw TableError(error) }
    guard hasHeader(status) else {
      throw .damaged(path: mapped.path, reason: "another program made it shorter")
    }
    return status
  }

  /// Whether the header is there and may be written.
  var canWriteHeader: Bool {
    // A file whose state is unknown is left as it is.
    guard let status = try? mapped.status() else { return false }
    return hasHeader(status) && !mapped.lacksRoom
  }

  private func hasHeader(_ status: MappedFile.Status) -> Bool {
    status.byteCount >= TableLayout.headerByteCount
  }

  /// Whether the file reaches to the end of a slot; for one that is touched for the first time.
  func isStored(_ slot: Int) -> Bool {
    guard let status = try? mapped.status() else { return false }
    return status.byteCount >= layout.pictureOffset(slot) + layout.pictureByteCount
  }

  /// Whether look-ups copy pictures, as pinning one stores into its record.
  @inline(__always)
  var mustCopy: Bool { isReadOnly || mapped.lacksRoom }
}

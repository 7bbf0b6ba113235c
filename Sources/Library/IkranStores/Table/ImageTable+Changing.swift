public import IkranPixels
import Synchronization
import IkranSystem

extension ImageTable {
  /// Stores a picture in place of the entity's previous one, which stays valid while it is held.
  ///
  /// A picture in another pixel format is converted. Entries over the limit leave, the one used
  /// longest ago first. When it throws, the entry is what it was before.
  ///
  /// It copies the picture once, and in the same pass computes its checksum; a conversion is one
  /// more copy. That takes one or two system calls, and no lock. Before and after it the writer's
  /// lock is held for a change of some words; it waits for others that hold it, without limit.
  /// Sometimes more happens with the lock held: the file grows (`fallocate`), or every record is
  /// read, 64 bytes an entry, to find old entries or to enlarge the directory. The kernel writes
  /// the picture to the disk later: see ``synchronize()``.
  ///
  /// - Throws: ``TableError``.
  public func put(_ id: TableID, version: TableID, _ image: Bitmap) throws(TableError) {
    let picture = try fitting(image)
    try fill(id, version) { (file, slot) throws(TableError) in
      try file.fill(slot, with: picture, id, version)
    }
  }

  /// An image of the table's size in its pixel format.
  func fitting(_ image: Bitmap) throws(TableError) -> Bitmap {
    guard image.size == layout.size else {
      throw .wrongSize(image.size, expected: layout.size)
    }
    do throws(BitmapError) {
      return try image.converted(to: layout.pixels)
    } catch {
      throw .bitmap(error)
    }
  }

  /// Draws a picture into the table's own pixels, which are zero before.
  ///
  /// The picture becomes visible when `draw` has returned; readers and writers never wait for it.
  /// On a file system that may write pages to another place its pages are populated first, one
  /// system call; without room for them it is drawn into memory and copied. When it throws, or
  /// there is no room, the entry is what it was before.
  ///
  /// There is no copy: it zeroes the pixels first, and reads them for their checksum afterwards.
  /// Locks are as those of ``put(_:version:_:)``. Pages that this process touches for the first
  /// time are page faults of `draw`. A canvas that `draw` replaces by another one is put as a copy.
  ///
  /// - Throws: What `draw` throws, or ``TableError``.
  public func put(
    _ id: TableID,
    version: TableID,
    draw: (inout Canvas) throws -> Void
  ) throws {
    var failure: (any Error)?
    var replacement: Bitmap?
    try fill(id, version) { (file, slot) throws(TableError) in
      let picture = file.drawing(slot)
      do {
        let offset = file.layout.pictureOffset(slot)
        guard file.mapped.prepareStores(offset..<offset + picture.count) else {
          // What is drawn into memory is written by a call, which can fail.
          var canvas = try Canvas(size: layout.size, format: layout.pixels)
          try draw(&canvas)
          replacement = canvas.finish()
          return nil
        }
        picture.initializeMemory(as: UInt8.self, repeating: 0)
        replacement = try file.draw(slot, draw)
      } catch {
        failure = error
        return nil
      }
      guard replacement == nil else { return nil }
      return TableRecord.checksum(UnsafeRawBufferPointer(picture), id, version)
    }
    if let failure { throw failure }
    if let replacement { try put(id, version: version, replacement) }
  }

  /// Takes a slot, lets `body` fill it, and publishes it with the checksum that `body` returns.
  ///
  /// No lock is held while `body` runs; nil gives the slot back. `body` runs once: when another
  /// file replaces this one while it runs, the picture is copied to that file.
  private func fill(
    _ id: TableID,
    _ version: TableID,
    _ body: (TableFile, Int) throws(TableError) -> UInt64?
  ) throws(TableError) {
    try beginPut()
    defer { endPut() }
    var finished: Bitmap?
    for _ in 0..<1000 {
      let (file, slot) = try reserve(id)
      do {
        // A thread that leaves the file waits for this, and this may wait for its other tables.
        defer { file.fillings.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        do throws(TableError) {
          let checksum =
            if let finished {
              try file.fill(slot, with: finished, id, version)
            } else {
              try body(file, slot)
            }
          guard let checksum else { return abandon(slot, file) }
          if try publish(slot, id, version, checksum, in: file) {
            file.startWriteback(slot)
            return file.unpin(slot)
          }
        } catch {
          abandon(slot, file)
          throw error
        }
        // The bitmap ends the slot's pin.
        finished = bitmap(file.memory(slot, nil))
      }
      try reopen(file)
    }
    throw .replacedTooOften(path)
  }

  /// Makes a filled slot an entry; false when another file has taken this one's place.
  private func publish(
    _ slot: Int,
    _ id: TableID,
    _ version: TableID,
    _ checksum: UInt64,
    in file: TableFile
  ) throws(TableError) -> Bool {
    let evicted = try file.change(name: .recent) { (slots) throws(TableError) in
      do throws(SystemError) {
        try file.publish(slot, id, version, checksum: checksum, &slots)
      } catch {
        throw TableError(error)
      }
      return file.allocator.evict(&slots, limit: limit)
    }
    if let evicted { count(evicted: evicted) }
    return evicted != nil
  }

  private func reserve(_ id: TableID) throws(TableError) -> (TableFile, Int) {
    let limit = limit
    let (file, slot, evicted) = try change(name: .recent) { (file, slots) throws(TableError) in
      var evicted = 0
      do throws(SystemError) {
        let slot = try file.allocator.reserveSlot(for: id, &slots, limit: limit, evicted: &evicted)
        file.fillings.wrappingAdd(1, ordering: .sequentiallyConsistent)
        return (file, slot, evicted)
      } catch {
        throw TableError(error)
      }
    }
    count(evicted: evicted)
    return (file, slot)
  }

  func count(evicted count: Int) {
    if count > 0 { evictions.wrappingAdd(count, ordering: .relaxed) }
  }

  func abandon(_ slot: Int, _ file: TableFile) {
    let isDone: Bool?
    do throws(TableError) {
      isDone = try file.change(name: .recent) { (slots) throws(TableError) in
        file.allocator.abandon(slot, &slots)
        return true
      }
    } catch {
      isDone = nil
    }
    // In a file that cannot be locked the slot stays reserved until the next scan of all records.
    if isDone == nil { file.unpin(slot) }
  }

  /// Removes an entity's entry; false when there is none.
  ///
  /// It changes some words with the writer's lock held, for which it waits without limit, and makes
  /// two system calls; nothing is written to the disk before it returns. In a synchronized table
  /// with replaced pictures it may read every record.
  ///
  /// - Throws: ``TableError``.
  @discardableResult
  public func remove(_ id: TableID) throws(TableError) -> Bool {
    try change { (file, slots) throws(TableError) in file.remove(id, &slots) }
  }

  /// Removes every entry of a version, whatever its id; returns how many there were.
  ///
  /// Replaced pictures of it that wait for ``synchronize()`` do not come back after a power loss.
  ///
  /// It reads every record, 64 bytes an entry, and removes entries with the writer's lock held, for
  /// which it waits without limit.
  ///
  /// - Throws: ``TableError``.
  @discardableResult
  public func removeAll(version: TableID) throws(TableError) -> Int {
    try change { (file, slots) throws(TableError) in
      var ids: [TableID] = []
      file.forEachSlot { _, record in
        if TableRecord.State(bits: record.state.value).isPublished, record.hasVersion(version) {
          ids.append(record.id)
        }
      }
      if file.header.supersededCount.value > 0 {
        file.allocator.freeSuperseded(&slots) { $0.hasVersion(version) }
      }
      return ids.reduce(0) { $0 + (file.remove($1, &slots) ? 1 : 0) }
    }
  }
}

extension TableFile {
  /// Starts the writeback of a new picture and its neighbours if `synchronize` will wait for them.
  func startWriteback(_ slot: Int) {
    guard let slots = earlyWriteback.add(slot), let last = slots.last else { return }
    let end = layout.pictureOffset(last) + layout.slotByteCount
    mapped.startWriteback(layout.pictureOffset(slots.lowerBound)..<end)
  }

  /// Writes a picture of the table's layout into a reserved slot; returns its checksum.
  func fill(
    _ slot: Int,
    with picture: Bitmap,
    _ id: TableID,
    _ version: TableID
  ) throws(TableError) -> UInt64 {
    do throws(SystemError) {
      return try write(picture, id, version, to: slot)
    } catch {
      throw TableError(error)
    }
  }

  /// Copies through the mapping what this process has written before.
  ///
  /// That takes less time than `pwrite`, which also holds the inode's lock: two processes could not
  /// copy at once. First writes, and those that `fdatasync` will follow, would fault for each page:
  /// they are system calls.
  private func write(
    _ picture: Bitmap,
    _ id: TableID,
    _ version: TableID,
    to slot: Int
  ) throws(SystemError) -> UInt64 {
    let (seed, offset) = (TableRecord.seed(id, version), layout.pictureOffset(slot))
    let isSmall = TableRecord.isSmall(layout.pictureByteCount)
    if wasWritten(slot), !earlyWriteback.isExpected, !isSmall,
      mapped.populate(offset..<offset + layout.pictureByteCount)
    {
      return picture.copyRows(to: drawing(slot).baseAddress, seed: seed)
    }
    noteWritten(slot)
    let rowBytes = layout.size.width * layout.pixels.bytesPerPixel
    if picture.bytesPerRow == layout.bytesPerRow, rowBytes == layout.bytesPerRow {
      return try picture.withUnsafeBytes { (bytes) throws(SystemError) in
        try mapped.write(bytes, at: offset)
        return TableRecord.checksum(bytes, id, version)
      }
    }
    var failure: SystemError?
    let checksum = padded(picture).withUnsafeBytes { bytes in
      do throws(SystemError) { try mapped.write(bytes, at: offset) } catch { failure = error }
      return TableRecord.checksum(bytes, id, version)
    }
    if let failure { throw failure }
    return checksum
  }

  /// The rows of a bitmap as the table has them: zeros after each, whatever the bitmap has there.
  private func padded(_ picture: Bitmap) -> [UInt8] {
    let rowBytes = layout.size.width * layout.pixels.bytesPerPixel
    var rows = [UInt8](repeating: 0, count: layout.pictureByteCount)
    rows.withUnsafeMutableBytes { target in
      picture.withUnsafeBytes { source in
        for row in 0..<layout.size.height {
          let from = source[row * picture.bytesPerRow..<row * picture.bytesPerRow + rowBytes]
          let to = row * layout.bytesPerRow
          target[to..<to + rowBytes].copyBytes(from: from)
        }
      }
    }
    return rows
  }

  /// Draws into a reserved slot.
  ///
  /// - Returns: The drawn picture if `draw` replaced the canvas by one with other memory, else nil.
  func draw(_ slot: Int, _ draw: (inout Canvas) throws -> Void) throws -> Bitmap? {
    let drawing = drawing(slot)
    guard let start = drawing.baseAddress else { return nil }
    // The slot has a pin since it was reserved.
    _ = pin(slot, record(slot))
    var canvas = Canvas(
      size: layout.size,
      format: layout.pixels,
      bytesPerRow: layout.bytesPerRow,
      memory: PixelMemory(
        start: start,
        byteCount: drawing.count,
        ownedBy: .passRetained(self),
        Self.self,
        block: slot
      )
    )
    var isUnchanged = false
    defer { if !isUnchanged { keptDrawings.insert(slot) } }
    try draw(&canvas)
    isUnchanged = canvas.withUnsafeMutableBytes { $0.baseAddress == start }
    let drawn = canvas.finish()
    return isUnchanged ? nil : drawn
  }
}

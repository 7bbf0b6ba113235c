public import IkranPixels
import Synchronization
import IkranSystem

extension ImageTable {
  /// Stores many pictures as ``put(_:version:_:)`` does one.
  ///
  /// It takes the writer's lock twice for up to 64 pictures, or for an eighth of what the table may
  /// hold, instead of twice for each. Each is copied once, without the lock.
  ///
  /// Of two pictures of one entity the later one stays. When it throws, each entry is what it was
  /// before or has its new picture.
  ///
  /// - Throws: ``TableError``; before anything is stored when a picture has another size.
  public func put(
    _ pictures: [(id: TableID, version: TableID, image: Bitmap)]
  ) throws(TableError) {
    for picture in pictures where picture.image.size != layout.size {
      throw .wrongSize(picture.image.size, expected: layout.size)
    }
    try beginPut()
    defer { endPut() }
    var rest = pictures[...]
    while !rest.isEmpty {
      let group = rest.prefix(min(64, max(1, limit / 8)))
      rest = rest.dropFirst(group.count)
      if try !putTogether(group) {
        // Another file has replaced this one since.
        for (id, version, image) in group { try put(id, version: version, image) }
      }
    }
  }

  /// Stores a group; false when another file has replaced the one that it was written to.
  private func putTogether(
    _ group: ArraySlice<(id: TableID, version: TableID, image: Bitmap)>
  ) throws(TableError) -> Bool {
    let (file, slots) = try reserve(group.map(\.id))
    defer { file.fillings.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
    var filled: [FilledSlot] = []
    do throws(TableError) {
      for ((id, version, image), slot) in zip(group, slots) {
        let checksum = try file.fill(slot, with: try fitting(image), id, version)
        filled.append(FilledSlot(slot: slot, id: id, version: version, checksum: checksum))
      }
    } catch {
      for slot in slots { abandon(slot, file) }
      throw error
    }
    guard let (published, failure) = try publish(filled, in: file) else {
      for slot in slots { file.unpin(slot) }
      return false
    }
    for slot in slots.prefix(published) {
      file.startWriteback(slot)
      file.unpin(slot)
    }
    if let failure {
      guard file.lacksAddresses.load(ordering: .relaxed) else { throw failure }
      // One after the other they are put into a larger mapping.
      for (id, version, image) in group.dropFirst(published) {
        try put(id, version: version, image)
      }
    }
    return true
  }

  private func reserve(_ ids: [TableID]) throws(TableError) -> (TableFile, [Int]) {
    let limit = limit
    let (file, slots, evicted) = try change(name: .recent) { (file, slots) throws(TableError) in
      var reserved: [Int] = []
      var sum = 0
      do throws(SystemError) {
        for id in ids {
          var evicted = 0
          defer { sum += evicted }
          reserved.append(
            try file.allocator.reserveSlot(for: id, &slots, limit: limit, evicted: &evicted)
          )
        }
      } catch {
        for slot in reserved { file.allocator.abandon(slot, &slots) }
        throw TableError(error)
      }
      file.fillings.wrappingAdd(1, ordering: .sequentiallyConsistent)
      return (file, reserved, sum)
    }
    count(evicted: evicted)
    return (file, slots)
  }

  /// A slot with its picture, which is no entry yet.
  private struct FilledSlot: Sendable {
    let slot: Int
    let id: TableID
    let version: TableID
    let checksum: UInt64
  }

  /// Makes filled slots entries, or gives them back after a failure; nil when another file has
  /// taken this one's place.
  private func publish(
    _ filled: [FilledSlot],
    in file: TableFile
  ) throws(TableError) -> (published: Int, failure: TableError?)? {
    let limit = limit
    let result = try file.change(name: .recent) { (slots) throws(TableError) in
      var published = 0
      var failure: TableError?
      do throws(SystemError) {
        for one in filled {
          try file.publish(one.slot, one.id, one.version, checksum: one.checksum, &slots)
          published += 1
        }
      } catch {
        failure = TableError(error)
        for one in filled[published...] { file.allocator.abandon(one.slot, &slots) }
      }
      return (published, failure, file.allocator.evict(&slots, limit: limit))
    }
    guard let (published, failure, evicted) = result else { return nil }
    count(evicted: evicted)
    return (published, failure)
  }
}

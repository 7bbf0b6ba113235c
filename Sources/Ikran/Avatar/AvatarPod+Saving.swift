import FoundationEssentials
import IkranPixels
import IkranStores

// What avatars' storages are given.

extension AvatarPod {
  /// Whether the URL has brought bytes while the process ran that a storage was not given.
  func hasOlder(_ avatar: any Avatar, _ request: ImageRequest, _ style: StyledKey?) -> Bool {
    guard let newest = pipeline.newestBytes(of: request) else { return false }
    let source = style?.source ?? pipeline.styledKey(request).source
    let key = SavedKey(storageID: avatar.storageID, source: source, style: style)
    return saved.value(for: key) != newest
  }

  /// Saves to a storage, after its callers were served.
  func save(
    _ loaded: LoadedImage,
    _ file: [UInt8],
    _ avatar: any Avatar,
    _ key: StyledKey
  ) {
    add(loaded, avatar, key, bytes: file.count) { file }
  }

  /// Saves an image of bytes that the URL has brought to a storage that was not given them.
  func saveAgain(_ hit: LoadedImage, _ avatar: any Avatar, _ request: ImageRequest) {
    guard let body = hit.cached.body else { return }
    let key = pipeline.styledKey(request)
    let name = SavedKey(storageID: avatar.storageID, source: key.source, style: key)
    guard hasOlder(avatar, request, key), queued.value(for: name) != body else { return }
    add(hit, avatar, key, bytes: 0) { [pipeline] in
      // A file that no cache has any more is saved when it is downloaded again.
      let file = try? await pipeline.loadBody(request, Subscription(.low), .cached)
      return file?.id == body ? file?.bytes : nil
    }
  }

  private func add(
    _ loaded: LoadedImage,
    _ avatar: any Avatar,
    _ key: StyledKey,
    bytes: Int,
    _ file: @escaping @Sendable () async -> [UInt8]?
  ) {
    let (id, image, body) = (avatar.storageID, loaded.cached.image, loaded.cached.body)
    let names = [key, nil].map { SavedKey(storageID: id, source: key.source, style: $0) }
    let target = AvatarSaves.Target(storageID: id, source: key.source)
    let isAdded = saves.add(target, bytes: bytes + image.byteCount) { [self] in
      guard let file = await file(),
        await ask({ try await avatar.save(original: Data(file), styled: image) }) != nil, let body
      else { return }
      for name in names { saved.store(body, cost: 1, for: name) }
    }
    guard isAdded else {
      return pipeline.counters.record(.avatarStorageFailed("too many avatars wait to be saved"))
    }
    if let body { queued.store(body, cost: 1, for: names[0]) }
  }
}

extension ImagePipeline {
  /// The id of the bytes that the URL has brought while this process ran; nil when it has not.
  fileprivate func newestBytes(of request: ImageRequest) -> BodyID? {
    let record = finalVisit(request).record
    return record?.isOfThisProcess == true ? record?.body : nil
  }
}

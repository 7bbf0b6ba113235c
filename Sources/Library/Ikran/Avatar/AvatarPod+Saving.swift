import FoundationEssentials
import IkranPixels
import IkranStores

// What avatars' storages are given.

extension AvatarPod {
  /// Whether the URL has brought bytes while the process ran that a storage was not given.
  func isOlder(_ key: SavedKey, than request: ImageRequest) -> Bool {
    guard let newest = pipeline.newestBytes(of: request) else { return false }
    return saved.value(for: key) != newest
  }

  /// Saves an image and its file to a storage, after those were served who wait for the image.
  func save(_ image: LoadedImage, of avatar: some Avatar, _ file: [UInt8], as key: SavedKey) {
    add(image, to: avatar, as: key, fileBytes: file.count) { file }
  }

  /// Saves an image of bytes that the URL has brought to a storage that was not given them.
  func saveAgain(_ image: LoadedImage, of avatar: some Avatar, as request: ImageRequest) {
    guard let body = image.cached.body else { return }
    let key = savedKey(of: avatar, as: request)
    guard isOlder(key, than: request), queued.value(for: key) != body else { return }
    add(image, to: avatar, as: key, fileBytes: 0) { [pipeline] in
      // A file that no cache has any more is saved when it is downloaded again.
      let file = try? await pipeline.loadBody(request, Subscription(.low), .cached)
      return file?.id == body ? file?.bytes : nil
    }
  }

  private func add(
    _ loaded: LoadedImage,
    to avatar: some Avatar,
    as key: SavedKey,
    fileBytes: Int,
    file: @escaping @Sendable () async -> [UInt8]?
  ) {
    let (image, body) = (loaded.cached.image, loaded.cached.body)
    let names = [key, key.ofFile]
    let target = AvatarSaves.Target(storageID: key.storageID, source: key.source)
    let isAdded = saves.add(target, bytes: fileBytes + image.byteCount) { [self] in
      guard let file = await file(),
        await ask({ try await avatar.save(original: Data(file), styled: image) }) != nil, let body
      else { return }
      for name in names { saved.store(body, cost: 1, for: name) }
    }
    guard isAdded else {
      return pipeline.counters.record(.avatarStorageFailed("too many avatars wait to be saved"))
    }
    if let body { queued.store(body, cost: 1, for: key) }
  }
}

extension ImagePipeline {
  /// The id of the bytes that the URL has brought while this process ran; nil when it has not.
  fileprivate func newestBytes(of request: ImageRequest) -> BodyID? {
    let record = finalVisit(request).record
    return record?.isOfThisProcess == true ? record?.body : nil
  }
}

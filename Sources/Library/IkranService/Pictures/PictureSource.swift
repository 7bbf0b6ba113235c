import FoundationEssentials
import Ikran
import IkranCodecs
import IkranHTTP
import IkranPixels
import IkranStores
import IkranSystem
import IkranTransport

/// Gets sources and makes pictures of them, with the threads and the caches of one pipeline.
final class PictureSource: Sendable {
  private struct Extras {
    var watermark: WatermarkPicture?
    var fallback: SourceFile?
    var tables: PixelTables?
  }

  let metrics: ServiceMetrics
  /// Requests that may be made or wait, and what goes on after theirs.
  let limit: WorkLimit
  /// Files that other processes have, too; nil where they are not asked for.
  let shared: SharedSources?
  private let settings: ServiceSettings
  private let pipeline: ImagePipeline
  private let transport: any Transport
  private let extras: Guarded<Extras> = Guarded(Extras())

  /// Takes the settings, and the stores that processes share.
  ///
  /// - Throws: ``FolderError`` when the folder of local sources cannot be read.
  init(
    _ settings: ServiceSettings,
    cache: CacheSettings,
    version: String,
    tiers: [GuardedTier],
    faults: CacheFaults
  ) throws(FolderError) {
    self.settings = settings
    shared = SharedSources(tiers, settings)
    metrics = ServiceMetrics(
      namespace: settings.server.statistics?.namespace,
      workers: settings.server.work.workers ?? ProcessInfo.processInfo.activeProcessorCount,
      faults: faults
    )
    let queueSize = settings.server.work.queueSize
    limit = WorkLimit(queueSize > 0 ? queueSize + metrics.workers : nil)
    transport = try SchemeTransport(settings.sources, version: version, shared: shared)
    pipeline = ImagePipeline(settings, cache: cache, transport: transport) { event in
      if case .diskFailed(let reason) = event { faults.count(.sources, reason) }
    }
  }

  /// Loads the service's own pictures.
  ///
  /// - Returns: Names the bytes of those that results show; nil where there are none.
  /// - Throws: ``ServiceError``, which says what is wrong with them.
  func prepare(_ contents: (String) -> [UInt8]?) async throws(ServiceError) -> TableID? {
    var shown: TableID?
    if let place = settings.extras.watermark {
      let name = settings.extras.watermarkVariable
      let file = try await ownFile(place, contents, of: name)
      let opacity = settings.extras.watermarkOpacity
      let result = await compute { (codecs, workspace) -> Result<WatermarkPicture, ServiceError> in
        Result { () throws(ServiceError) in
          do throws(DecodeError) {
            let picture = try codecs.decode(file.bytes.span, workspace: workspace)
            return WatermarkPicture(bitmap: picture.bitmap, opacity: opacity)
          } catch {
            throw .failed(reason: "the watermark of \(name) cannot be read: \(error)")
          }
        }
      }
      let watermark = try result.get()
      extras.withLock { $0.watermark = watermark }
      shown = TableID(bytes: file.bytes)
    }
    if let place = settings.extras.fallback {
      let file = try await ownFile(place, contents, of: settings.extras.fallbackVariable)
      extras.withLock { $0.fallback = file }
    }
    return shown
  }

  /// Puts pixels that are asked for into these tables from now on.
  func use(_ tables: PixelTables?) { extras.withLock { $0.tables = tables } }

  private func ownFile(
    _ place: ExtraSettings.Place,
    _ contents: (String) -> [UInt8]?,
    of variable: String
  ) async throws(ServiceError) -> SourceFile {
    switch place {
    case .data(let bytes): return SourceFile(bytes)
    case .path(let path):
      guard let bytes = contents(path) else {
        throw .failed(reason: "\(variable) is “\(path)”; expected: a file that can be read")
      }
      return SourceFile(bytes)
    case .url(let url):
      do throws(ServiceError) { return try await file(at: url) } catch {
        throw .failed(reason: "the picture of \(variable) is missing: \(error.details)")
      }
    }
  }

  /// The file of a job's source; a beginning that is enough for the job, where that may be.
  func file(_ job: PictureJob) async throws(ServiceError) -> SourceFile {
    guard settings.sources.http.endsEarly else { return try await file(job, needing: nil) }
    let wishes = job.client.wishes
    let rules = PictureRules(settings: settings, wanted: job.wanted, wishes: wishes)
    return try await file(job) { rules.neededPixels($0) }
  }

  private func file(
    _ job: PictureJob,
    needing needed: NeededPixels?
  ) async throws(ServiceError) -> SourceFile {
    // An avatar that is drawn.
    if job.wanted.source.isEmpty { return SourceFile([]) }
    let begin = ContinuousClock.now
    defer { metrics.add(.download, since: begin) }
    let policy = job.wanted.options.delivery.asksOrigin ? CachePolicy.refresh : .standard
    return try await file(at: job.wanted.source, policy, needing: needed)
  }

  private func file(
    at url: String,
    _ policy: CachePolicy = .standard,
    needing needed: NeededPixels? = nil
  ) async throws(ServiceError) -> SourceFile {
    let location = settings.sources.location(of: url)
    var request = ImageRequest(location: location, style: .original)
    request.transfer.timeout = settings.server.timeouts.download
    request.caching.policy = policy
    do throws(ImageError) {
      return try await pipeline.sourceFile(for: request, needing: needed)
    } catch {
      throw ServiceError(error)
    }
  }

  /// Makes a job's picture of a file, on a thread that decodes; of the whole file, where it cannot
  /// be made of a beginning.
  ///
  /// - Returns: The picture, and whether caches may keep it.
  func result(
    of file: SourceFile,
    for job: PictureJob
  ) async throws(ServiceError) -> (result: StoredResult, isKept: Bool) {
    do throws(ServiceError) { return try await made(of: file, for: job) } catch {
      guard case .brokenImage = error, file.wholeCount != nil else { throw error }
      return try await made(of: try await self.file(job, needing: nil), for: job)
    }
  }

  private func made(
    of file: SourceFile,
    for job: PictureJob
  ) async throws(ServiceError) -> (result: StoredResult, isKept: Bool) {
    let extras = extras.withLock { $0 }
    let asked = ContinuousClock.now
    let made = await compute { [settings, metrics] (codecs, workspace) in
      let maker = PictureMaker(
        settings: settings,
        wanted: job.wanted,
        wishes: job.client.wishes,
        file: file,
        watermark: extras.watermark,
        codecs: codecs,
        workspace: workspace,
        tables: extras.tables
      )
      return metrics.image(askedFor: asked) {
        Result { () throws(ServiceError) in try maker.picture() }
      }
    }
    return (try made.get(), file.mayBeKept)
  }

  /// The picture for sources that cannot be had; nil where there is none.
  func fallback(for job: PictureJob) async -> StoredResult? {
    guard let file = extras.withLock({ $0.fallback }) else { return nil }
    return try? await result(of: file, for: job).result
  }

  /// What an avatar's options say is drawn in place of its source; nil where they say nothing.
  func drawn(for job: PictureJob) async -> StoredResult? {
    guard job.wanted.options.avatar.canBeDrawn else { return nil }
    var drawing = job
    drawing.wanted.source = ""
    return try? await result(of: SourceFile([]), for: drawing).result
  }

  private func compute<Value: Sendable>(
    _ work: @escaping @Sendable (CodecList, Workspace) -> Result<Value, ServiceError>
  ) async -> Result<Value, ServiceError> {
    await limit.counting { running in
      do throws(ImageError) {
        return try await pipeline.computing(.normal) { codecs, workspace in
          running.begin()
          defer { running.end() }
          return work(codecs, workspace)
        }
      } catch { return .failure(ServiceError(error)) }
    }
  }

  /// A source as its origin sends it.
  func raw(_ job: PictureJob) async throws(ServiceError) -> RawSource {
    let begin = ContinuousClock.now
    defer { metrics.add(.download, since: begin) }
    let limit = job.wanted.options.limits.sourceBytes ?? settings.limits.sourceBytes
    var request = TransportRequest(
      url: settings.sources.location(of: job.wanted.source),
      timeout: settings.server.timeouts.download
    )
    if limit > 0 { request.maximumBodyBytes = limit }
    if let tags = job.client.ifNoneMatch {
      request.headers.append(HeaderField("If-None-Match", tags))
    }
    do throws(TransportError) {
      return RawSource(try await transport.fetch(request) { _ in })
    } catch {
      // Without the URL, which may have a password.
      throw ServiceError(ImageError.transport(error, url: "the source"))
    }
  }
}

/// What a source's origin sent.
struct RawSource: Sendable {
  let status: Int
  let fields: [Field]
  let body: BodyBytes

  private static let passed: Set<String> = [
    "content-type", "last-modified", "etag", "cache-control", "expires",
  ]

  init(_ response: TransportResponse) {
    status = response.status
    fields = response.headers.filter { Self.passed.contains($0.name.lowercased()) }
      .map { Field($0.name, $0.value) }
    body = BodyBytes(response.body)
  }
}

extension SourceFile {
  /// A file of the service's own.
  fileprivate init(_ bytes: [UInt8]) {
    self.init(bytes: bytes, source: .data, content: nil, freshUntil: .max, headers: [])
  }

  /// What its origin said to caches; nil for nothing.
  var cacheControl: String? {
    let values = headers.filter { $0.isNamed("cache-control") }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Whether its origin lets a shared cache keep it.
  var mayBeKept: Bool { !(cacheControl.map(Self.isForbidden) ?? false) }

  /// Whether a field forbids shared caches to keep a response.
  static func isForbidden(by cacheControl: String) -> Bool {
    let text = cacheControl.lowercased()
    return text.contains("no-store") || text.contains("private")
  }
}

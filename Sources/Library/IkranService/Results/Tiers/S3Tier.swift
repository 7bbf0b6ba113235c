import IkranTransport

/// Results in a bucket of S3.
struct S3Tier: RemoteTier {
  let name = "s3"
  private let bucket: String
  private let transport: any Transport
  private let maximumBytes: Int

  /// Takes the bucket, and the transport that `s3://` URLs go to.
  init(bucket: String, transport: any Transport, maximumBytes: Int = 64 << 20) {
    (self.bucket, self.transport, self.maximumBytes) = (bucket, transport, maximumBytes)
  }

  func value(for key: String, within time: Duration) async throws(TierError) -> [UInt8]? {
    let response = try await send(objectRequest(for: key, within: time))
    switch response.status {
    case 200: return response.body
    case 404: return nil
    default: throw failure(response)
    }
  }

  func store(_ bytes: [UInt8], for key: String, within time: Duration) async throws(TierError) {
    guard bytes.count <= maximumBytes else { throw .refused("the result is too large") }
    var request = objectRequest(for: key, within: time)
    request.method = "PUT"
    request.body = bytes
    request.headers = [HeaderField("Content-Type", "application/octet-stream")]
    let response = try await send(request)
    guard response.status == 200 else { throw failure(response) }
  }

  func remove(_ key: String, within time: Duration) async throws(TierError) {
    var request = objectRequest(for: key, within: time)
    request.method = "DELETE"
    let response = try await send(request)
    guard [200, 204, 404].contains(response.status) else { throw failure(response) }
  }

  private func objectRequest(for key: String, within time: Duration) -> TransportRequest {
    TransportRequest(
      url: "s3://\(bucket)/\(key)",
      connectTimeout: time,
      timeout: time,
      maximumBodyBytes: maximumBytes + 4096
    )
  }

  private func send(_ request: TransportRequest) async throws(TierError) -> TransportResponse {
    do throws(TransportError) { return try await transport.fetch(request) } catch {
      throw error == .cancelled ? .cancelled : .failed("\(error)")
    }
  }

  private func failure(_ response: TransportResponse) -> TierError {
    let code = S3Fault(response.head).map { " (\($0.code))" } ?? ""
    return .failed("the status is \(response.status)\(code)")
  }
}

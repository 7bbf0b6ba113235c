public import Ikran

extension MemoryOptions {
  /// The defaults, but what a test put in memory stays there, however scarce the machine's is.
  public static let steady = MemoryOptions(trimsUnderMemoryPressure: false)
}

extension ResponseOptions {
  /// The defaults, but a response that names no lifetime has none.
  public static let unassuming = ResponseOptions(
    assumedLifetime: .zero,
    assumedLifetimeWithoutValidators: .zero
  )
}

extension PipelineOptions {
  /// The defaults, but what a test put in memory stays there, however scarce the machine's is, and
  /// a response that names no lifetime has none.
  public static let steady = PipelineOptions(
    memory: .steady,
    network: NetworkOptions(responses: .unassuming)
  )
}

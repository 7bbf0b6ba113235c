public import Ikran

extension MemoryOptions {
  /// The defaults, but what a test put in memory stays there, however scarce the machine's is.
  public static let steady = MemoryOptions(heedsPressure: false)
}

extension PipelineOptions {
  /// The defaults, but what a test put in memory stays there, however scarce the machine's is.
  public static let steady = PipelineOptions(memory: .steady)
}

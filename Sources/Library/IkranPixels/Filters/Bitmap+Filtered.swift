extension Bitmap {
  /// The picture after some filters; see ``Filter``.
  ///
  /// Cost: one pass for neighbours that look at single pixels, and what the others need.
  ///
  /// - Parameters:
  ///   - filters: They run in order.
  ///   - scale: Pixels per point, for the lengths among their parameters.
  ///   - workspace: Pass one to filter many pictures.
  /// - Returns: A new bitmap, or this one when nothing changes.
  /// - Throws: ``FilterError`` when a parameter is no finite number, memory runs out or a
  ///   custom filter throws.
  public func filtered(
    _ filters: [Filter],
    scale: Double = 1,
    workspace: Workspace = Workspace()
  ) throws(FilterError) -> Bitmap {
    let graph = try workspace.graph(for: filters, scale: scale)
    return try graph.run(self, workspace: workspace)
  }

  /// The picture after some filters, unless it stops being wanted between two passes.
  ///
  /// - Parameters:
  ///   - filters: They run in order.
  ///   - scale: Pixels per point.
  ///   - workspace: Working memory.
  ///   - isWanted: Asked before each pass.
  /// - Returns: A new bitmap, or this one when nothing changes; nil when it is not wanted any more.
  /// - Throws: ``FilterError``, as ``filtered(_:scale:workspace:)``.
  package func filtered(
    _ filters: [Filter],
    scale: Double,
    workspace: Workspace,
    while isWanted: () -> Bool
  ) throws(FilterError) -> Bitmap? {
    let graph = try workspace.graph(for: filters, scale: scale)
    return try graph.run(self, workspace: workspace, while: isWanted)
  }
}

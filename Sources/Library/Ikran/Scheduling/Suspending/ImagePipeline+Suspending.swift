extension ImagePipeline {
  /// Writes what waits to be written, lets what reads or writes files end, and releases every lock
  /// of a file, until ``resume()``.
  ///
  /// For a program that the system stops in the background. iOS ends one that then holds a lock of
  /// a file in a shared container (0xdead10cc): call it in a background task when the program goes
  /// there. Other processes may use and change the caches until it returns to them.
  ///
  /// In between, a look-up that never waits, such as ``cached(for:)``, finds what is in memory and
  /// nothing in tables. What needs a file waits for ``resume()``: a load whose image memory does
  /// not have, with the timeouts that it has; ``finishWriting()``; what is to be stored or removed,
  /// in its order and within the limits that always apply to what waits. Downloads and decodes
  /// under way go on. Images that are shown stay as they are: those of tables become copies in
  /// memory.
  ///
  /// ``isSuspended`` is about downloads, and stays as it is. To suspend twice is to suspend once. A
  /// pipeline that is released ends its suspension. Stores that it was given are suspended with it;
  /// those that it does not know, such as an ``AvatarStorage``, are not.
  ///
  /// A store that cannot release its locks – a table needs memory for what is shown, and a store of
  /// your own may throw – is reported as ``PipelineEvent/diskFailed(_:)`` or
  /// ``PipelineEvent/tableFailed(_:)``, and is in use as before; the rest is suspended.
  ///
  /// Returns when the locks are released, or at ``resume()``; at once when the task is cancelled,
  /// and the pipeline is suspended all the same.
  public func suspend() async {
    if !context.disk.isAbsent { context.disk.suspension.begin(context.disk.files) }
    if let tables = context.tables { tables.suspension.begin(tables.files) }
    // No file stays open between two jobs.
    context.network.partials.suspension?.begin(nil)
    for suspension in suspensions { await suspension.finishClosing() }
  }

  /// Ends a suspension: what waited goes on, and sees what other processes have changed.
  ///
  /// It never waits, and does nothing without a suspension.
  public func resume() { for suspension in suspensions { suspension.resume() } }

  private var suspensions: [Suspension] {
    [context.disk.suspension, context.tables?.suspension, context.network.partials.suspension]
      .compactMap(\.self)
  }
}

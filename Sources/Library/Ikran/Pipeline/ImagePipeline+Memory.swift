import IkranPixels
import IkranPlayback
public import IkranStores
import Synchronization

// The memory that the pipeline holds.

extension ImagePipeline {
  /// Whether the program is in the background: memory then holds a quarter of its limit.
  ///
  /// Nothing sets it by itself. Setting it evicts at once what is too much.
  public var isInBackground: Bool {
    get { context.images.isInBackground }
    set {
      context.images.isInBackground = newValue
      context.bodies.isInBackground = newValue
      context.decodes.isInBackground = newValue
      context.network.partials.isInBackground = newValue
    }
  }

  /// Evicts what was unused for longest until no more than so many bytes are held, the files and
  /// decodes lately used and what arrived of broken transfers first.
  public func trimMemory(toBytes bytes: Int) {
    let bytes = max(0, bytes)
    context.bodies.trim(toBytes: bytes / 10)
    context.decodes.trim(toBytes: bytes / 10)
    context.network.partials.trimMemory(toBytes: bytes / 10)
    let partial = min(bytes / 10, context.network.partials.memoryStatistics.byteCount)
    context.images.trim(toBytes: bytes - bytes / 10 * 2 - partial)
  }

  /// Lets go of memory: the files and decodes lately used, what arrived of broken transfers and
  /// half of the images, or at critical pressure everything; what views hold stays valid.
  ///
  /// The system gets back what the process's allocator has free then; that may take milliseconds.
  ///
  /// The pipeline does so by itself unless ``MemoryOptions/trimsUnderMemoryPressure`` is false.
  public func relieveMemory(_ pressure: MemoryPressure) {
    context.bodies.trim(toBytes: 0)
    context.decodes.trim(toBytes: 0)
    context.network.partials.trimMemory(toBytes: 0)
    context.records.trim(toBytes: context.records.byteCount / 2)
    context.network.failures.trim()
    context.images.trim(
      toBytes: pressure == .critical ? 0 : max(1, context.images.statistics.byteCount / 2)
    )
    PixelMemory.releaseFreeMemory()
  }

  /// Begins to watch how scarce memory is, once.
  func watchPressure() {
    guard context.options.memory.trimsUnderMemoryPressure else { return }
    guard !isWatchingPressure.exchange(true, ordering: .relaxed) else { return }
    let watch = PressureWatch { [weak self] in self?.relieveMemory($0) }
    pressure.withLock { $0 = watch }
  }
}

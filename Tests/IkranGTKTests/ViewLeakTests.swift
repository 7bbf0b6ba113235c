import CGTK
import FoundationEssentials
import Glibc
import IkranGTK
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// Everything that was made ends.
  @Suite @MainActor
  struct ViewLeakTests {
    /// Counts the objects of a kind that have ended.
    private final class Ends {
      var count = 0
    }

    /// Calls a closure's counter when an object ends.
    private func watch(_ object: UnsafeMutableRawPointer, _ ends: Ends) {
      let typed = object.assumingMemoryBound(to: GObject.self)
      let data = Unmanaged.passUnretained(ends).toOpaque()
      g_object_weak_ref(
        typed,
        { data, _ in
          guard let data else { return }
          Unmanaged<Ends>.fromOpaque(data).takeUnretainedValue().count += 1
        },
        data
      )
    }

    // OpenGL's renderer keeps small textures until later frames did not need them.
    @Test(.enabled(if: Display.isDrawnByCairo, "only Cairo's renderer keeps no textures"))
    func theWidgetThePaintableAndTheImageEndWithTheWindow() throws {
      try Display.open()
      let pipeline = ImagePipeline.deterministic(transport: TestURL.origin())
      let ends = Ends()
      let weakened: () -> Bitmap?
      do {
        let window = try Window(width: 16, height: 16)
        let view = ImageTarget(window.widget)
        view.setImage(ImageRequest(TestURL.face(1), style: .small), from: pipeline)
        try Display.run { view.state.isShown }
        try window.drawFrames(2)
        watch(UnsafeMutableRawPointer(window.widget), ends)
        let paintable = try #require(gtk_picture_get_paintable(OpaquePointer(window.widget)))
        #expect(paintable.referenceCount == 2)
        watch(UnsafeMutableRawPointer(paintable), ends)
        var request = ImageRequest(TestURL.face(1), style: .small)
        request.scale = 1
        weakened = try #require(pipeline.cached(for: request)).weakened()
        pipeline.trimMemory(toBytes: 0)
        #expect(weakened() != nil)
        window.close()
      }
      #expect(ends.count == 2)
      #expect(weakened() == nil)
    }

    @Test func whatAClosureHoldsEndsWithTheWidget() throws {
      /// A part of a program with a view of its own.
      @MainActor
      final class Owner {
        var view: ImageTarget?
      }
      let pipeline = ImagePipeline.deterministic(transport: TestURL.origin())
      let window = try Window(width: 16, height: 16)
      weak var owner: Owner?
      do {
        let held = Owner()
        owner = held
        let view = ImageTarget(window.widget)
        held.view = view
        let options = DisplayOptions(onChange: { _ in withExtendedLifetime(held) {} })
        let request = ImageRequest(TestURL.face(1), style: .small)
        view.setImage(request, from: pipeline, options: options)
        try Display.run { view.state.isShown }
      }
      #expect(owner != nil)
      window.close()
      #expect(owner == nil)
    }

    @Test func tenThousandImagesLeaveNothing() throws {
      try Display.open()
      let pipeline = ImagePipeline.deterministic(transport: TestURL.origin())
      for number in 0..<20 {
        var request = ImageRequest(TestURL.face(number), style: .small)
        request.scale = 1
        pipeline.store(try TestURL.picture(number), for: request)
      }
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let set = { (count: Int) in
        for number in 0..<count {
          view.setImage(ImageRequest(TestURL.face(number % 30), style: .small), from: pipeline)
          if number % 100 == 0 { try window.drawFrames(1) }
        }
        try Display.run { !view.state.isLoading }
      }
      try set(1000)
      let references = window.widget.referenceCount
      let before = try Usage()
      try set(10_000)
      let after = try Usage()
      #expect(after.descriptors <= before.descriptors)
      // A texture has some 300 bytes, a bitmap more: ten thousand of them would be seen.
      #expect(after.memoryBytes - before.memoryBytes < 2 << 20)
      let paintable = try #require(gtk_picture_get_paintable(OpaquePointer(window.widget)))
      #expect(paintable.referenceCount == 2)
      #expect(window.widget.referenceCount == references)
    }

    /// What the process has.
    private struct Usage {
      let descriptors: Int
      /// Resident; under a sanitizer, which keeps what was freed, what is allocated.
      let memoryBytes: Int

      init() throws {
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        if let symbol = dlsym(nil, "__sanitizer_get_current_allocated_bytes") {
          typealias Count = @convention(c) () -> Int
          memoryBytes = unsafeBitCast(symbol, to: Count.self)()
          return
        }
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        memoryBytes = (Int(text.split(separator: " ")[1]) ?? 0) * 4096
      }
    }
  }
}

extension OpaquePointer {
  var referenceCount: CUnsignedInt {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: GObject.self).pointee.ref_count
  }
}

extension UnsafeMutablePointer where Pointee == GtkWidget {
  var referenceCount: CUnsignedInt { OpaquePointer(self).referenceCount }
}

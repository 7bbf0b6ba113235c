import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Colours of animations whose frames are composed in turn.
@Suite(.timeLimit(.minutes(10))) struct AnimationColorTests {
  @Test func framesOfManyFilesOnOneThreadReadEachProfileOnce() throws {
    let movie = try Fixtures.bytes("animation-3-frames.gif")
    let profiles = MadeProfile.allCases.filter { $0.model == .rgb }
    try #require(profiles.count > 4)
    let composers = try profiles.map { profile in
      let file = ColorFiles.gif(movie, profile: profile.bytes)
      return try #require(try CodecList.standard.frames(of: file)).makeComposer()
    }
    let workspace = Workspace()
    for frame in 0..<3 {
      for composer in composers {
        _ = try composer.compose(frame, from: nil, fitting: .original, workspace: workspace)
        #expect(composer.notes.isEmpty)
      }
    }
    #expect(ColorMemory.of(workspace).readings == profiles.count)
  }
}

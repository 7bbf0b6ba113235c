import Testing

@testable import IkranStores

struct DiskRoomTests {
  @Test(arguments: [0xEF53, 0x0102_1994, 0x8584_58F6])
  func ext4AndFileSystemsInMemoryChangePagesInTheirPlace(kind: Int) {
    #expect(Platform.changesPagesInPlace(kind: kind))
  }

  /// Btrfs, XFS, ZFS, F2FS, FUSE, overlayfs, NFS, and what is not known.
  @Test(
    arguments: [
      0x9123_683E, 0x5846_5342, 0x2FC1_2FC1, 0xF2F5_2010, 0x6573_5546, 0x794C_7630, 0x6969, 0,
    ]
  )
  func otherFileSystemsMayNeedRoomToChangeAPage(kind: Int) {
    #expect(!Platform.changesPagesInPlace(kind: kind))
  }
}

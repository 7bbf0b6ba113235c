import Testing

@testable import ikran_gallery

struct ListSpliceTests {
  @Test(arguments: [
    ([], []), ([], [1, 2]), ([1, 2], []), ([1, 2, 3], [1, 2, 3]), ([1, 2, 3], [0, 1, 2, 3, 4]),
    ([1, 2, 3, 4], [2, 4]), ([1, 2, 3], [7, 2, 8, 9, 3, 6]), ([1, 2], [3, 4]), ([1, 2], [2, 1]),
  ])
  func changesMakeTheNewListOfTheOld(old: [Int], new: [Int]) {
    var list = old
    for change in ListSplice.changes(from: old, to: new) {
      list.replaceSubrange(
        change.position..<change.position + change.removed,
        with: change.inserted
      )
    }
    #expect(list == new)
  }

  @Test func whatBothHaveStays() {
    #expect(
      ListSplice.changes(from: [1, 2, 3, 4], to: [0, 1, 2, 4])
        == [
          ListSplice(position: 0, removed: 0, inserted: [0]),
          ListSplice(position: 3, removed: 1, inserted: []),
        ]
    )
  }

  @Test func anEqualListIsNoChange() {
    #expect(ListSplice.changes(from: [1, 2], to: [1, 2]).isEmpty)
  }
}

import Testing

@testable import ikran_gallery

struct SideRoomTests {
  @Test func aWidePageShowsTheSideNextToThePicture() {
    let room = SideRoom(pageWidth: SideRoom.narrowest)
    #expect(room.isShown && room.isNextToPicture)
  }

  @Test func aNarrowPageHidesIt() {
    let room = SideRoom(pageWidth: SideRoom.narrowest - 1)
    #expect(!room.isShown && !room.isNextToPicture)
  }

  @Test func aNarrowPageShowsItAboveThePicture() {
    var room = SideRoom(pageWidth: 360)
    room.toggle()
    #expect(room.isShown && !room.isNextToPicture)
  }

  @Test func whatWasChosenForNarrowPagesLeavesWideOnes() {
    var room = SideRoom(pageWidth: 360)
    room.toggle()
    room.toggle()
    room.pageWidth = 1100
    #expect(room.isShown)
  }

  @Test func aFullScreenIsThePicturesAloneAtFirst() {
    var room = SideRoom(pageWidth: 1920)
    room.fillsScreen = true
    #expect(!room.isShown && !room.isNextToPicture)
    room.toggle()
    #expect(room.isNextToPicture)
    room.fillsScreen = false
    #expect(room.isShown)
    room.fillsScreen = true
    #expect(!room.isShown)
  }

  @Test func whatWasHiddenStaysSoAfterAFullScreen() {
    var room = SideRoom(pageWidth: 1100)
    room.toggle()
    room.fillsScreen = true
    room.fillsScreen = false
    #expect(!room.isShown)
  }
}

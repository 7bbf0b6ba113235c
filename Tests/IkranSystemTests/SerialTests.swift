import IkranSystem
import TestBasics
import Testing

struct SerialTests {
  @Test func aChangeThatIsAskedForDuringAChangeIsMadeAfterIt() {
    let serial = Serial([Int]())
    let end = Recorder<[Int]>()
    serial.change { [serial] in
      serial.change { $0.append(2) }
      $0.append(1)
    }
    serial.change { end.add($0) }
    #expect(end.items == [[1, 2]])
  }

  @Test func changesOfManyThreadsAreMadeOneAtATimeAndEachThreadsInOrder() {
    let serial = Serial([(thread: Int, number: Int)]())
    let end = Recorder<Int>()
    onThreads(4) { thread in
      for number in 0..<1000 { serial.change { $0.append((thread, number)) } }
    }
    serial.change { made in
      for thread in 0..<4 {
        let numbers = made.filter { $0.thread == thread }.map(\.number)
        if numbers == Array(0..<1000) { end.add(thread) }
      }
    }
    #expect(end.items == [0, 1, 2, 3])
  }

  @Test func aThreadWaitsForNoChangeOfAnother() {
    let (serial, door, isIn) = (Serial(0), ThreadLatch(), ThreadLatch())
    let end = Recorder<Int>()
    onThreads(2) { thread in
      if thread == 0 {
        serial.change { _ in
          isIn.open()
          door.wait()
        }
      } else {
        isIn.wait()
        serial.change { end.add($0) }
        #expect(end.items.isEmpty)
        door.open()
      }
    }
    #expect(end.items == [0])
  }
}

extension SourceLoad {
  /// Counts one kind of thing of a source, in the order in which they began: from 1 on.
  ///
  /// A subscriber's is no batch's.
  struct Number<Kind>: Hashable, Comparable, Sendable {
    let value: Int

    static var none: Self { Self(value: 0) }
    var next: Self { Self(value: value + 1) }
    var previous: Self { Self(value: value - 1) }

    static func < (left: Self, right: Self) -> Bool { left.value < right.value }
  }

  typealias SubscriberID = Number<Subscriber>
  typealias TransferNumber = Number<Transfer>
  typealias BatchNumber = Number<Batch>
}

extension SourceLoad.Number: ExpressibleByIntegerLiteral {
  init(integerLiteral value: Int) { self.init(value: value) }
}

extension SourceLoad.Number: CustomStringConvertible {
  var description: String { "\(value)" }
}

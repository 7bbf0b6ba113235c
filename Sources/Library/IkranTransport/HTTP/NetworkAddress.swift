// Decision 20: addresses are judged when a socket is opened.
/// An IPv4 or IPv6 address, in network byte order.
enum NetworkAddress: Hashable, Sendable {
  case v4(UInt32)
  case v6(UInt64, UInt64)

  /// An address of 4 or 16 bytes; nil for other lengths.
  init?(_ bytes: [UInt8]) {
    func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 4: self = .v4(UInt32(truncatingIfNeeded: number(0..<4)))
    case 16: self = .v6(number(0..<8), number(8..<16))
    default: return nil
    }
  }

  /// Whether it belongs to a machine of the public internet, as far as the address tells.
  ///
  /// From the special-purpose registries of IANA (RFC 6890).
  var isPublic: Bool {
    switch self {
    case .v4(let bits): Self.isPublic(bits)
    case .v6(let high, let low): Self.isPublic(high, low)
    }
  }

  /// The local network that it belongs to; none for others.
  var localNetwork: LocalNetworks {
    switch self {
    case .v4(let bits): Self.localNetwork(bits)
    // Mapped: ::ffff:0:0/96.
    case .v6(0, let low) where low >> 32 == 0xFFFF:
      Self.localNetwork(UInt32(truncatingIfNeeded: low))
    case .v6(0, 1): .loopback
    case .v6(let high, _) where high >> 54 == 0xFE80 >> 6: .linkLocal
    // Amazon's metadata have an address of their own.
    case .v6(let high, _) where high >> 32 == 0xFD00_0EC2: .linkLocal
    case .v6(let high, _) where high >> 57 == 0xFC00 >> 9: .privateUse
    case .v6: []
    }
  }

  private static func localNetwork(_ bits: UInt32) -> LocalNetworks {
    if bits >> 24 == 127 { return .loopback }
    if bits >> 16 == 0xA9FE { return .linkLocal }
    let isPrivate = bits >> 24 == 10 || bits >> 20 == 0xAC1 || bits >> 16 == 0xC0A8
    return isPrivate ? .privateUse : []
  }

  /// First bits and their number of the networks that are not of the public internet.
  private static let reserved: [(bits: UInt32, count: UInt32)] = [
    (0x0000_0000, 8),  // this network
    (0x0A00_0000, 8),  // private
    (0x6440_0000, 10),  // shared: carrier-grade NAT
    (0x7F00_0000, 8),  // loopback
    (0xA9FE_0000, 16),  // link-local
    (0xAC10_0000, 12),  // private
    (0xC000_0000, 24),  // protocol assignments
    (0xC000_0200, 24),  // documentation
    (0xC058_6300, 24),  // 6to4 relays
    (0xC0A8_0000, 16),  // private
    (0xC612_0000, 15),  // benchmarking
    (0xC633_6400, 24),  // documentation
    (0xCB00_7100, 24),  // documentation
    (0xE000_0000, 4),  // multicast
    (0xF000_0000, 4),  // reserved, broadcast
  ]

  private static func isPublic(_ bits: UInt32) -> Bool {
    !reserved.contains { bits >> (32 - $0.count) == $0.bits >> (32 - $0.count) }
  }

  private static func isPublic(_ high: UInt64, _ low: UInt64) -> Bool {
    let last = UInt32(truncatingIfNeeded: low)
    // Mapped (::ffff:0:0/96) and compatible (::/96), loopback and unspecified among them.
    if high == 0, low >> 32 == 0xFFFF || low >> 32 == 0 { return isPublic(last) }
    // NAT64's well-known prefix, 64:ff9b::/96.
    if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { return isPublic(last) }
    // Only 2000::/3 is given to machines; this refuses fc00::/7, fe80::/10, 64:ff9b:1::/48, …
    guard high >> 61 == 1 else { return false }
    // Protocol assignments, 2001::/23, Teredo among them.
    if high >> 41 == 0x2001_0000 >> 9 { return false }
    // Documentation: 2001:db8::/32 and 3fff::/20.
    if high >> 32 == 0x2001_0DB8 || high >> 44 == 0x3FFF_0 { return false }
    // 6to4, 2002::/16: the next 32 bits are an IPv4 address.
    if high >> 48 == 0x2002, !isPublic(UInt32(truncatingIfNeeded: high >> 16)) { return false }
    // ISATAP: an interface identifier of 0000:5efe or 0200:5efe and an IPv4 address.
    if low >> 32 & 0xFDFF_FFFF == 0x0000_5EFE { return isPublic(last) }
    return true
  }
}

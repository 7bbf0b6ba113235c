/// The features of the person in one portrait, derived from its number.
struct Traits {
  enum Hair: CaseIterable {
    case bald, buzz, crop, sidePart, quiff, bob, long, waves, afro, bun, ponytail, pigtails, scarf
    case beanie
  }
  enum Eyes: CaseIterable { case dots, open, wide, smiling, wink }
  enum Mouth: CaseIterable { case smile, grin, laugh, small, smirk }
  enum Beard: CaseIterable { case none, stubble, moustache, goatee, full }
  enum Glasses: CaseIterable { case none, round, square, shades }
  enum Clothes: CaseIterable { case crew, stripes, collar, hoodie, vest, turtleneck }
  enum Backdrop: CaseIterable { case plain, halo, stripes, dots, rays, hills }

  let skin: Tint
  let hairTint: Tint
  let backdropTint: Tint
  let clothTint: Tint
  let accent: Tint
  let hair: Hair
  let eyes: Eyes
  let mouth: Mouth
  let beard: Beard
  let glasses: Glasses
  let clothes: Clothes
  let backdrop: Backdrop
  let iris: Tint
  let jaw: Double
  let chin: Double
  let browTilt: Double
  let browWidth: Double
  let noseSize: Double
  let hasFreckles: Bool
  let hasEarrings: Bool
  let blush: Double
  /// -1 or 1: which way a parting, a wink or a ponytail goes.
  let side: Double

  init(number: Int) {
    var chance = SplitMix(seed: 0x1A4A_0000 &+ UInt64(truncatingIfNeeded: number) &* 0x5851_F42D)
    func pick<T>(_ choices: [T], _ chance: inout SplitMix) -> T {
      choices[chance.index(below: choices.count)]
    }
    skin = pick(Self.skins, &chance)
    hair = pick(Hair.allCases, &chance)
    let isBright = chance.chance(0.14)
    hairTint = pick(isBright ? Self.brightHair : Self.naturalHair, &chance)
    // Stepping through the palette gives neighbours on a sheet different colours.
    let first = (number * 5 + chance.index(below: 3)) % Self.backdrops.count
    backdropTint = Self.backdrops[first]
    clothTint =
      Self.cloths[(first + 2 + chance.index(below: Self.cloths.count - 4)) % Self.cloths.count]
    accent = pick(Self.accents, &chance)
    eyes = pick([.dots, .dots, .open, .open, .open, .wide, .smiling, .wink], &chance)
    mouth = pick(Mouth.allCases, &chance)
    let mayHaveBeard = [.bald, .buzz, .crop, .sidePart, .quiff, .beanie, .afro].contains(hair)
    beard = mayHaveBeard && chance.chance(0.6) ? pick(Beard.allCases, &chance) : .none
    glasses = chance.chance(0.34) ? pick([.round, .round, .square, .shades], &chance) : .none
    clothes = pick(Clothes.allCases, &chance)
    backdrop = pick(Backdrop.allCases, &chance)
    iris = pick(Self.irises, &chance)
    jaw = chance.number(in: 0.30...0.385)
    chin = chance.number(in: 0.34...0.42)
    browTilt = chance.number(in: -0.022...0.028)
    browWidth = chance.number(in: 0.026...0.046)
    noseSize = chance.number(in: 0.8...1.25)
    hasFreckles = chance.chance(0.16)
    hasEarrings = chance.chance(0.28)
    blush = chance.number(in: 0.12...0.42)
    side = chance.chance(0.5) ? -1 : 1
  }

  private static let skins: [Tint] = [
    0xFFE0C7, 0xFBD3B4, 0xF3C29B, 0xE6AC7D, 0xD29366, 0xB5754A, 0x95593A, 0x75432B, 0x5A3221,
  ].map { Tint($0) }
  private static let naturalHair: [Tint] = [
    0x1C1A20, 0x2B211F, 0x3D2A22, 0x5A3A26, 0x7A4B2A, 0xA0522D, 0xC4692B, 0xD9A55B, 0xEBCB86,
    0x8F8B8D, 0xD9D6D2,
  ].map { Tint($0) }
  private static let brightHair: [Tint] = [
    0xE85D8A, 0x5B6BD6, 0x2FA79B, 0x8E5BC4, 0xE9573F,
  ].map { Tint($0) }
  private static let backdrops: [Tint] = [
    0x7EC8C4, 0xF6B26B, 0x8FA8E8, 0xF28C8C, 0x9CCB86, 0xC9A0DC, 0xF7D26A, 0x6FB1D9, 0xF3A6B8,
    0xA8D5BA, 0xE8956B, 0xB7B3E5,
  ].map { Tint($0) }
  private static let cloths: [Tint] = [
    0x2F4B7C, 0xD1495B, 0x2E8B7A, 0xF2C14E, 0x5D4A8A, 0xF0F0EA, 0x33363F, 0xE07A3F, 0x7FA650,
    0x3E7CB1, 0xB8476B, 0x8C6A4F,
  ].map { Tint($0) }
  private static let accents: [Tint] = [
    0xFFFFFF, 0xF7C948, 0xEF6461, 0x3AAFA9, 0x2B2D42, 0xE4C1F9,
  ].map { Tint($0) }
  private static let irises: [Tint] = [
    0x4A2F1E, 0x6B4423, 0x3B6EA5, 0x3F7D5A, 0x59636B, 0x2D2A32,
  ].map { Tint($0) }
}

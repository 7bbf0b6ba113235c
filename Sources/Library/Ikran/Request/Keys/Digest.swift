import IkranStores

/// Thirty-two hexadecimal digits that stand for `text`: equal across runs and machines.
func digest(of text: String) -> String {
  String(hexadecimal: Checksum.of(text, seed: 0), Checksum.of(text, seed: 1))
}

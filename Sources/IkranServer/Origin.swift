/// Placeholder until the origin lands.
enum OriginPlaceholder {}

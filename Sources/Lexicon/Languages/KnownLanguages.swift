// The languages that Deckhand knows; each is described in a file of its own beside this one.
// Invariant: names are unique, and `english`, `spanish`, `italian` come first.

extension Language {
  /// Every language that texts are read in, or that has a list of a known name; the three that the set-up offers come
  /// first.
  public static let known: [Language] =
    [
      english, spanish, italian, french, german, portuguese, brazilian, dutch, catalan, danish, swedish, bokmaal,
      nynorsk, polish, ukrainian, bulgarian, esperanto, greek, russian, turkish, japanese, chinese, korean,
    ] + englishLists + germanLists
}

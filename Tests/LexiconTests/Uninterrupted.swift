// Lists and dictionaries for tests, which nobody can interrupt. Invariant: the program's own code has none of these;
// there each caller passes what can interrupt it.

import Lexicon

extension ListLimits {
  init() { self.init(isInterrupted: { false }) }
}

extension LexiconLibrary {
  convenience init(listFolders: [String], cacheFolder: String?, dictionaryFolders: [String] = []) {
    self.init(
      listFolders: listFolders, cacheFolder: cacheFolder, dictionaryFolders: dictionaryFolders, limits: ListLimits())
  }
}

extension DictionaryLibrary {
  convenience init(ownFolders: [String], systemFolders: [String], locale: String?) {
    self.init(ownFolders: ownFolders, systemFolders: systemFolders, locale: locale, isInterrupted: { false })
  }
}

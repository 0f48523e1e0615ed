// Texts to learn from and dictionaries: subtitles, books, known words, Yomitan, StarDict, dictd.
// Invariant: a dictionary that is damaged finds less and breaks nothing.

import Exchange
import FuzzDriver
import Lexicon

func texts(of folder: FuzzFolder) -> [FuzzTarget] {
  ["srt", "vtt", "ass", "html"].map { ending in
    FuzzTarget(ending) { bytes in
      _ = try TextFile(folder.write(bytes, to: "a." + ending), encoding: nil, isInterrupted: { false })
    }
  } + [
    FuzzTarget("epub") { bytes in
      _ = try TextFile(folder.write(zip(parts(bytes)), to: "a.epub"), encoding: nil, isInterrupted: { false })
    },
    FuzzTarget("known-words") { bytes in
      let path = folder.write(bytes, to: "a.csv")
      _ = try KnownWordList(path, columns: [], isInterrupted: { false }).entries
    },
    FuzzTarget("yomitan") { bytes in
      let path = folder.write(zip(parts(bytes)), to: "a.zip")
      try YomitanFile(path, isInterrupted: { false }).forEachEntry { _ in }
    },
  ]
}

/// The parts of an input are the files of one dictionary, in this order.
func dictionaries(of folder: FuzzFolder) -> [FuzzTarget] {
  func target(_ name: String, _ endings: [String]) -> FuzzTarget {
    FuzzTarget(name) { bytes in
      let parts = parts(bytes)
      for (ending, part) in Swift.zip(endings, parts) { folder.write(part.bytes, to: "es-en." + ending) }
      defer { for ending in endings { folder.remove("es-en." + ending) } }
      let spanish = Language(name: "spanish", title: "Spanish", code: "es")
      let library = DictionaryLibrary(ownFolders: [folder.path], systemFolders: []) { false }
      for word in ["gato", "gatos", "", "año"] {
        _ = try library.define(word, in: spanish)
        _ = try library.define(word, in: spanish, foldAccents: true)
        _ = try library.lemmas(of: word, in: spanish)
        _ = try library.frequencies(of: word, in: spanish)
      }
    }
  }
  return [
    target("stardict", ["ifo", "idx", "dict", "syn"]), target("dictd", ["index", "dict"]),
    target("dictionary-index", ["words"]),
  ]
}

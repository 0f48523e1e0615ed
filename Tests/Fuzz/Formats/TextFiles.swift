// Texts to learn from and dictionaries: subtitles, books, known words, Yomitan, StarDict, dictd. Invariant: a damaged
// dictionary finds less and breaks nothing.

import Exchange
import Files
import FuzzDriver
import Lexicon

func texts(of folder: FuzzFolder) -> [FuzzTarget] {
  ["srt", "vtt", "ass", "html"].map { ending in
    FuzzTarget(ending) { bytes in
      _ = try TextFile(folder.write(bytes, to: "a." + ending), encoding: nil, isInterrupted: { false })
    }
  } + [
    FuzzTarget("epub") { bytes in
      _ = try TextFile(folder.write(zipFile(parts(bytes)), to: "a.epub"), encoding: nil, isInterrupted: { false })
    },
    FuzzTarget("known-words") { bytes in
      let path = folder.write(bytes, to: "a.csv")
      _ = try KnownWordList(path, columns: [], isInterrupted: { false }).entries
    },
    FuzzTarget("yomitan") { bytes in
      let path = folder.write(zipFile(parts(bytes)), to: "a.zip")
      try YomitanFile(path, isInterrupted: { false }).forEachEntry { _ in }
    },
  ]
}

/// For StarDict and dictd the parts of an input are the files of one dictionary, in this order, for dictd also a table;
/// for an index the input says what is changed in a valid one.
func dictionaries(of folder: FuzzFolder) throws -> [FuzzTarget] {
  func target(_ name: String, _ endings: [String]) -> FuzzTarget {
    FuzzTarget(name) { bytes in
      try look(folder, zip(endings, parts(bytes)).map { ($0, $1.bytes) })
    }
  }
  let path = folder.file("whole.index")
  try DictionaryIndexWriter.write(path, isInterrupted: { false }) { index in
    for (kind, word, text) in [
      (DictionaryEntryKind.meaning, "gato", "cat"), (.form, "gatos", "gato"), (.frequency, "gato", "812"),
      (.markup, "año", "<b>year</b>"),
    ] { try index.add(kind, word, text) }
  }
  let whole = try FileText.bytes(path, limit: 1 << 20, isInterrupted: { false })
  return [
    target("stardict", ["ifo", "idx", "dict", "syn"]), target("dictd", ["index", "dict", "tsv"]),
    FuzzTarget("dictionary-index") { bytes in try look(folder, [("words", edited(whole, by: bytes)[...])]) },
  ]
}

/// Looks up words in the dictionary with these files, named by their extensions.
private func look(_ folder: FuzzFolder, _ files: [(ending: String, bytes: ArraySlice<UInt8>)]) throws {
  for file in files { folder.write(file.bytes, to: "es-en." + file.ending) }
  defer { for file in files { folder.remove("es-en." + file.ending) } }
  let spanish = Language.unknown("spanish", code: "es")
  let library = DictionaryLibrary(ownFolders: [folder.path], systemFolders: []) { false }
  for word in ["gato", "gatos", "", "año"] {
    _ = try library.define(word, in: spanish)
    _ = try library.define(word, in: spanish, foldAccents: true)
    _ = try library.lemmas(of: word, in: spanish)
  }
}

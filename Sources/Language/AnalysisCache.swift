// The words of texts that were read before, as files in the cache folder. Invariant: the name of a file is the hash of
// all that its content depends on; a damaged one counts as none; together they have at most 256 MiB.

import Files
import Text
import Wire

/// Returns the sizes and times of files, and of those in folders, as a text that differs once one of them changes.
/// - Parameter depth: how deep it looks into folders.
public func stamps(of paths: [String], depth: Int = 3) -> String {
  paths.map { path in
    do throws(FileError) {
      guard let facts = try FileFacts.at(path) else { return "" }
      let inner = facts.kind == .folder && depth > 0 ? try Folder.names(in: path).map { "\(path)/\($0)" } : []
      return "\(path) \(facts.size) \(facts.inode) \(facts.mode) \(facts.modified)\n"
        + stamps(of: inner, depth: depth - 1)
    } catch { return "\(path)\n" }
  }.joined()
}

extension TextBuilder {
  /// The file for the words of the text; nil if they are not kept.
  var cachePath: String? {
    guard let (folder, sources) = divider.cache, pending.count == places.count else { return nil }
    var key = Array(sources.utf8) + bytes
    pending.map(\.bytes).withUnsafeBytes { key += $0 }
    return "\(folder)/\(hexadecimal(sha256(key)))"
  }

  /// Returns the text with the words of a file; nil if there is none, or it is damaged.
  func kept(at path: String) -> TextIndex? {
    SealedFile.read(path) { reader throws(WireError) in
      let (weight, tokens) = (try reader.integer(), try reader.array(of: TextToken.self))
      let (ranges, numbers) = (try reader.array(of: SIMD4<UInt32>.self), try reader.array(of: UInt32.self))
      let sentences = zip(ranges, numbers).map { ends, place in
        TextSentence(bytes: ends.x..<ends.y, tokens: ends.z..<ends.w, place: place)
      }
      let forms = try reader.list { reader throws(WireError) in
        TextForm(
          text: try reader.text(), isNumber: try reader.byte() == 1, reading: try reader.text(),
          lemmas: try reader.array(of: UInt32.self), count: try reader.word())
      }
      let lemmas = try reader.list { reader throws(WireError) in
        TextLemma(text: try reader.text(), count: try reader.word(), forms: try reader.array(of: UInt32.self))
      }
      return TextIndex(
        language: lemmatizer.language, bytes: bytes, places: places, sentences: sentences, tokens: tokens, forms: forms,
        lemmas: lemmas, failure: nil, weight: weight)
    }
  }
}

extension TextIndex {
  /// Keeps the words in a file, as `kept` reads it, and removes the oldest files beyond the limit.
  func keep(at path: String) {
    // A larger text would take too much memory while it is written.
    if failure != nil || weight >= 1 << 25 { return }
    do {
      let folder = parentFolder(of: path)
      try makePrivateFolder(folder)
      try SealedFile.write(path) { writer in
        writer.bytes.reserveCapacity(weight)
        writer.integer(weight)
        writer.data(tokens)
        let ends = sentences.map { ($0.bytes, $0.tokens) }
        writer.data(ends.map { SIMD4($0.lowerBound, $0.upperBound, $1.lowerBound, $1.upperBound) })
        writer.data(sentences.map(\.place))
        writer.list(forms) { writer, form in
          writer.text(form.text)
          writer.byte(form.isNumber ? 1 : 0)
          writer.text(form.reading)
          writer.data(form.lemmas)
          writer.word(form.count)
        }
        writer.list(lemmas) { writer, lemma in
          writer.text(lemma.text)
          writer.word(lemma.count)
          writer.data(lemma.forms)
        }
      }
      Leftovers.sweep(folder)
      let paths = try Folder.names(in: folder).map { "\(folder)/\($0)" }
      let files = try paths.compactMap { path in try FileFacts.at(path).map { (path, $0) } }
      var size = 0
      for (path, facts) in files.sorted(by: { $0.1.modified.seconds > $1.1.modified.seconds }) {
        size += facts.size
        if size > 256 << 20 { try Folder.removeFile(path) }
      }
    } catch {
      // The words are found again the next time.
    }
  }
}

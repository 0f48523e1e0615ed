// Export of a document to the format of edition 2 of the original app, and the list of what that format cannot hold.
// Invariant: nothing is dropped silently: each loss is listed with its location in the document.

import Problems
import Text
public import Values

/// Something that the older format cannot hold: a sentence without its full stop.
public typealias ExportLoss = (pointer: JSONPointer, message: String)

/// A document in the format of edition 2.
public struct EditionExport: Sendable {
  /// The .rwcard file.
  public let bytes: [UInt8]
  /// The images to write beside the file, by the names that it uses for them.
  public let images: [(name: String, hash: ContentHash)]
  public let losses: [ExportLoss]
}

extension CardDocument {
  /// Converts the document to the format that the original app (edition 2) reads.
  public func edition2() throws(DocumentError) -> EditionExport {
    if isReadOnly { throw .laterVersion(version) }
    var exporter = EditionExporter(document: self)
    return exporter.export()
  }
}

private struct EditionExporter {
  let document: CardDocument
  var images: [Value] = []
  var texts: [Value] = []
  var files: [(name: String, hash: ContentHash)] = []
  var losses: [ExportLoss] = []
  /// The pointers of the numbers that are written to the older format unchanged, valid or not.
  var written: Set<String> = []

  mutating func export() -> EditionExport {
    for (index, element) in document.elements.enumerated() {
      add(element, JSONPointer.whole.appending("elements").appending(index))
    }
    for problem in document.problems() where problem.kind != .unknownKind && problem.kind != .duplicateID {
      let there = written.contains(problem.pointer.description) ? "is written unchanged" : "gets a default value"
      lose(problem.pointer, "\(problem.message); there it \(there)")
    }
    var json = document.json
    for key in DocumentFormat.documentKeys { json[key] = nil }
    restoreClashes(of: DocumentFormat.documentKeys, in: &json)
    if document.json["groups"] != nil { lose(JSONPointer.whole.appending("groups"), "groups do not exist there") }
    json["id"] = .text(document.id.description)
    json["backgroundColor"] = color(document.json["background"], document.background)
    json["imageElements"] = .list(images)
    json["textElements"] = .list(texts)
    return EditionExport(bytes: JSONWriter.bytes(of: .record(json)), images: files, losses: losses)
  }

  private mutating func lose(_ pointer: JSONPointer, _ message: String) {
    losses.append((pointer, message))
  }

  private mutating func add(_ element: Element, _ pointer: JSONPointer) {
    guard let kind = element.kind else {
      return lose(pointer, "an element of the kind \(element.json["kind"]?.text ?? "(none)") is left out")
    }
    if kind == .image, !texts.isEmpty { lose(pointer, "an image above a text moves below all texts") }
    for (key, what) in [
      ("alt", "the alternative text"), ("cropped", "the cropping"), ("wraps", "the wrapping"),
      ("size", "the size"), ("align", "the alignment"), ("grows", "that its box grows"), ("group", "the group"),
      ("link", "the link"), ("locked", "the lock"),
    ] {
      switch element.json[key] {
      case nil, .text(""), .boolean(false): break
      default: lose(pointer.appending(key), "\(what) is not supported there")
      }
    }
    loseBrokenTransform(element.json["transform"]?.record, pointer.appending("transform"))
    var json = element.json
    for key in DocumentFormat.elementKeys { json[key] = nil }
    json["transform"] = transform(of: element, over: json["transform"], pointer)
    restoreClashes(of: DocumentFormat.elementKeys, in: &json)
    switch kind {
    case .image: images.append(.record(imageFields(of: element, over: json)))
    case .text:
      if element.lines.count > 1 {
        lose(pointer.appending("text"), "the text has \(element.lines.count) lines; the app there draws only one line")
      }
      json["text"] = .text(element.text ?? "")
      json["textColor"] = color(element.json["color"], element.color ?? .black)
      json["textFont"] = .text(element.font.flatMap { $0.isEmpty ? nil : $0 } ?? "Gill Sans")
      texts.append(.record(json))
    }
  }

  /// Reports malformed parts of an old file's `transform` that the export overwrites.
  private mutating func loseBrokenTransform(_ rest: Value.Record?, _ pointer: JSONPointer) {
    for key in ["offset", "size"] where rest?[key] != nil {
      lose(pointer.appending(key), "it is not a pair of numbers; the default is written there")
    }
    if let rotation = rest?["rotation"], rotation.record == nil || rotation.record?["degrees"] != nil {
      lose(pointer.appending("rotation"), "it is not a number of degrees; 0 is written there")
    }
  }

  private mutating func imageFields(of element: Element, over json: Value.Record) -> Value.Record {
    var json = json
    json["frameIndex"] = .null
    // A number beyond the last frame would crash the app, so it is not written even if an old file had it.
    if let frame = element.frame { json["frameIndex"] = .integer(frame.index) }
    json["imageFilename"] = element.imageFile.map { .text($0) } ?? element.image.map { fileName(of: $0) } ?? .null
    return json
  }

  /// A UUID, as the app named its files. The same image of the same document always gets the same name.
  private mutating func fileName(of image: ContentHash) -> Value {
    let seed = Array("\(document.id)/\(image)".utf8)
    let name = DocumentID(bytes: sha256(seed)).description
    if !files.contains(where: { $0.name == name }) { files.append((name, image)) }
    return .text(name)
  }

  /// Returns four components, with the numbers as they were written if they are valid.
  private func color(_ json: Value?, _ color: CardColor) -> Value {
    if let json, json.list?.map(\.double) == color.parts { return json }
    return color.json
  }

  private mutating func transform(of element: Element, over rest: Value?, _ pointer: JSONPointer) -> Value {
    func number(_ key: String, _ fallback: Double) -> Value {
      guard let value = element.json[key], value.double != nil else { return .measure(fallback) }
      written.insert(pointer.appending(key).description)
      return value
    }
    var transform = rest?.record ?? Value.Record()
    var rotation = transform["rotation"]?.record ?? Value.Record()
    rotation["degrees"] = number("rotation", 0)
    transform["rotation"] = .record(rotation)
    transform["offset"] = .list([number("x", 0), number("y", 0)])
    transform["size"] = .list([
      number("width", DocumentFormat.elementSide), number("height", DocumentFormat.elementSide),
    ])
    return .record(transform)
  }

  /// Gives keys their names back that were renamed because they clashed with keys of version 2. If there are several
  /// for one key, the one with the longest name is restored: it was made longer because the others existed.
  private func restoreClashes(of keys: [String], in json: inout Value.Record) {
    for key in keys {
      var moved: String?
      var name = DocumentFormat.clashPrefix + key
      while json[name] != nil { (moved, name) = (name, DocumentFormat.clashPrefix + name) }
      if let moved, let value = json.remove(moved) { json[key] = value }
    }
  }
}

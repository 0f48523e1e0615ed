// The migration from the older formats of .rwcard files to version 2.
// Invariant: it is a pure function of its object, keeps the text of every number and every key that it does not
// know, and gives the same ids each time. The decoder has already checked that the lists hold only objects.

import Text
import Values

extension CardShape {
  /// Converts an object of this format to version 2.
  func migrated(_ object: Value.Record) -> Value.Record {
    self == .version2 || self == .future ? object : DocumentMigration.toVersion2(object)
  }
}

enum DocumentMigration {
  /// Makes one list in drawing order (images, then texts) with ids, and frames by name. A mid-chapter file has neither
  /// texts nor a background, which is then drawn yellow.
  static func toVersion2(_ object: Value.Record) -> Value.Record {
    let seed = object["id"]?.text ?? ""
    let images = list("imageElements", of: object).enumerated().map { index, element in
      image(element, id: elementID(seed, "image", index))
    }
    let texts = list("textElements", of: object).enumerated().map { index, element in
      text(element, id: elementID(seed, "text", index))
    }
    var result = renamingClashes(without(DocumentFormat.editionKeys, object), with: DocumentFormat.documentKeys)
    result["id"] = object["id"]
    result["background"] = object["backgroundColor"]
    result["elements"] = .list(images + texts)
    result["format"] = .text(DocumentFormat.name)
    result["version"] = .integer(DocumentFormat.version)
    return result
  }

  private static func list(_ key: String, of object: Value.Record) -> [Value.Record] {
    (object[key]?.list ?? []).compactMap(\.record)
  }

  /// The same file gives the same ids, so an element can be named before the document was ever saved.
  private static func elementID(_ document: String, _ kind: String, _ index: Int) -> String {
    DocumentID(bytes: sha256(Array("\(document.uppercased())/\(kind)/\(index)".utf8))).description
  }

  private static func without(_ keys: [String], _ object: Value.Record) -> Value.Record {
    keys.reduce(into: object) { $0[$1] = nil }
  }

  /// Renames an old file's own keys that mean something else in version 2.
  private static func renamingClashes(_ object: Value.Record, with keys: [String]) -> Value.Record {
    var object = object
    for key in keys where object[key] != nil {
      let value = object.remove(key)
      var name = DocumentFormat.clashPrefix + key
      while object[name] != nil { name = DocumentFormat.clashPrefix + name }
      object[name] = value
    }
    return object
  }

  private static func image(_ old: Value.Record, id: String) -> Value {
    var old = old
    // A frame of edition 1 that remained in a file of edition 2 still counts.
    if (old["frameIndex"] ?? .null) == .null { old["frameIndex"] = old.remove("frame") ?? .null }
    var element = renamingClashes(old, with: DocumentFormat.elementKeys)
    element["id"] = .text(id)
    element["kind"] = .text(ElementKind.image.rawValue)
    placeByFields(&element)
    // A file name that is not a text stays under its old key.
    switch element["imageFilename"] {
    case .text("none"), .null, nil: element["imageFilename"] = nil
    case .text(let name):
      element["imageFile"] = .text(name)
      element["imageFilename"] = nil
    default: break
    }
    if let index = element.remove("frameIndex"), index != .null {
      element["frame"] = index.integer.flatMap(Frame.init(index:)).map { .text($0.rawValue) } ?? index
    }
    return .record(element)
  }

  private static func text(_ old: Value.Record, id: String) -> Value {
    var element = renamingClashes(without(["text"], old), with: DocumentFormat.elementKeys)
    element["id"] = .text(id)
    element["kind"] = .text(ElementKind.text.rawValue)
    placeByFields(&element)
    element["text"] = old["text"]
    element["color"] = element.remove("textColor")
    element["font"] = element.remove("textFont")
    return .record(element)
  }

  /// Moves the well-formed parts of `transform` to fields of version 2; the rest of it stays.
  private static func placeByFields(_ element: inout Value.Record) {
    guard case .record(var transform) = element["transform"] else { return }
    pair("offset", of: &transform, into: &element, "x", "y")
    pair("size", of: &transform, into: &element, "width", "height")
    if case .record(var rotation) = transform["rotation"], rotation["degrees"]?.double != nil {
      element["rotation"] = rotation.remove("degrees")
      transform["rotation"] = rotation.isEmpty ? nil : .record(rotation)
    }
    element["transform"] = transform.isEmpty ? nil : .record(transform)
  }

  private static func pair(
    _ key: String, of transform: inout Value.Record, into element: inout Value.Record, _ first: String, _ second: String
  ) {
    guard let parts = transform[key]?.list, parts.count == 2, parts.allSatisfy({ $0.double != nil }) else { return }
    element[first] = parts[0]
    element[second] = parts[1]
    transform[key] = nil
  }
}

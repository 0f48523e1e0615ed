// The steps from each older shape of a .rwcard file to version 2.
// Invariant: a step is a pure function of the object it is given, keeps every number's text and every key that it does
// not know, and gives the same ids each time. The decoder has made sure that the lists hold objects only.

import Values

extension CardShape {
  /// The object as version 2.
  func migrated(_ object: JSONObject) -> JSONObject {
    switch self {
    case .midChapter: Migration.toVersion2(Migration.toEdition2(Migration.toEdition1(object)))
    case .edition1: Migration.toVersion2(Migration.toEdition2(object))
    case .edition2: Migration.toVersion2(object)
    case .version2, .future: object
    }
  }
}

enum Migration {
  /// Mid-chapter to edition 1: texts came. The background stays absent: it is drawn yellow.
  static func toEdition1(_ object: JSONObject) -> JSONObject {
    var object = object
    if object["textElements"] == nil { object["textElements"] = .array([]) }
    return object
  }

  /// Edition 1 to edition 2: `frame` became `frameIndex`, and is null where there is none.
  static func toEdition2(_ object: JSONObject) -> JSONObject {
    var object = object
    object["imageElements"] = .array(
      list("imageElements", of: object).map { element in
        var element = element
        if (element["frameIndex"] ?? .null) == .null { element["frameIndex"] = element.remove("frame") ?? .null }
        return .object(element)
      })
    return object
  }

  /// Edition 2 to version 2: one list in drawing order (images, then texts, as the app loaded them) with ids, frames by
  /// name.
  static func toVersion2(_ object: JSONObject) -> JSONObject {
    let seed = object["id"]?.string ?? ""
    // A frame of edition 1 that was left in a file of edition 2 still counts.
    let images = list("imageElements", of: toEdition2(object)).enumerated().map { index, element in
      image(element, id: elementID(seed, "image", index))
    }
    let texts = list("textElements", of: object).enumerated().map { index, element in
      text(element, id: elementID(seed, "text", index))
    }
    var result = renamingClashes(without(CardFormat.editionKeys, object), with: CardFormat.documentKeys)
    result["id"] = object["id"]
    result["background"] = object["backgroundColor"]
    result["elements"] = .array(images + texts)
    result["format"] = .string(CardFormat.name)
    result["version"] = .number(Double(CardFormat.version))
    return result
  }

  private static func list(_ key: String, of object: JSONObject) -> [JSONObject] {
    (object[key]?.array ?? []).compactMap(\.object)
  }

  /// The same file gives the same ids, so an element can be named before it was ever saved.
  private static func elementID(_ document: String, _ kind: String, _ index: Int) -> String {
    DocumentID(bytes: ContentHash.digest(Array("\(document.uppercased())/\(kind)/\(index)".utf8))).description
  }

  private static func without(_ keys: [String], _ object: JSONObject) -> JSONObject {
    var object = object
    for key in keys { object[key] = nil }
    return object
  }

  /// An old file's own key that means something in version 2 is kept under another name.
  private static func renamingClashes(_ object: JSONObject, with keys: [String]) -> JSONObject {
    var object = object
    for key in keys where object[key] != nil {
      let value = object.remove(key)
      var name = CardFormat.clashPrefix + key
      while object[name] != nil { name = CardFormat.clashPrefix + name }
      object[name] = value
    }
    return object
  }

  private static func image(_ old: JSONObject, id: String) -> JSONValue {
    var element = renamingClashes(old, with: CardFormat.elementKeys)
    element["id"] = .string(id)
    element["kind"] = .string(ElementKind.image.rawValue)
    placeByFields(&element)
    // A file name that is not a text stays under its old key.
    switch element["imageFilename"] {
    case .string("none"), .null, nil: element["imageFilename"] = nil
    case .string(let name):
      element["imageFile"] = .string(name)
      element["imageFilename"] = nil
    default: break
    }
    if let index = element.remove("frameIndex"), index != .null {
      element["frame"] = index.integer.flatMap(Frame.init(index:)).map { .string($0.rawValue) } ?? index
    }
    return .object(element)
  }

  private static func text(_ old: JSONObject, id: String) -> JSONValue {
    var element = renamingClashes(without(["text"], old), with: CardFormat.elementKeys)
    element["id"] = .string(id)
    element["kind"] = .string(ElementKind.text.rawValue)
    placeByFields(&element)
    element["text"] = old["text"]
    element["color"] = element.remove("textColor")
    element["font"] = element.remove("textFont")
    return .object(element)
  }

  /// Takes what is well formed out of `transform`; the rest of it stays.
  private static func placeByFields(_ element: inout JSONObject) {
    guard case .object(var transform) = element["transform"] else { return }
    pair("offset", of: &transform, into: &element, "x", "y")
    pair("size", of: &transform, into: &element, "width", "height")
    if case .object(var rotation) = transform["rotation"], rotation["degrees"]?.double != nil {
      element["rotation"] = rotation.remove("degrees")
      transform["rotation"] = rotation.isEmpty ? nil : .object(rotation)
    }
    element["transform"] = transform.isEmpty ? nil : .object(transform)
  }

  private static func pair(
    _ key: String, of transform: inout JSONObject, into element: inout JSONObject, _ first: String, _ second: String
  ) {
    guard let parts = transform[key]?.array, parts.count == 2, parts.allSatisfy({ $0.double != nil }) else { return }
    element[first] = parts[0]
    element[second] = parts[1]
    transform[key] = nil
  }
}

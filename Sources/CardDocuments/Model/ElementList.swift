// The elements of a document in drawing order, with lookup by id without a scan.
// Invariant: no two elements have the same id, and `places` maps each id to the index of its element.

import Text
import Values

struct ElementList: Equatable, Sendable {
  private(set) var all: [Element]
  private var places: [String: Int] = [:]

  /// Creates the list from JSON objects. Later ones with the same id get another, the same each time.
  init(_ objects: [Value.Record]) {
    all = []
    all.reserveCapacity(objects.count)
    var known = Set(objects.lazy.compactMap { $0["id"]?.text })
    var counts: [String: Int] = [:]
    for json in objects {
      let written = json["id"]?.text ?? ""
      var id = written
      counts[written, default: 0] += 1
      while let count = counts[written], count > 1 {
        id = DocumentID(bytes: sha256(Array("\(written)/\(count)".utf8))).description
        if known.insert(id).inserted { break }
        counts[written] = count + 1
      }
      all.append(Element(json: json, id: id))
    }
    index()
  }

  /// Writes into the JSON the ids that elements were given in place of the ones there.
  mutating func writeIDs() {
    for (place, element) in all.enumerated() where element.json["id"]?.text != element.id {
      all[place].json["id"] = .text(element.id)
    }
  }

  func place(of id: String) -> Int? { places[id] }

  mutating func append(_ element: Element) {
    places[element.id] = all.count
    all.append(element)
  }

  mutating func swapAt(_ place: Int, _ other: Int) {
    all.swapAt(place, other)
    index()
  }

  mutating func remove(at place: Int) {
    all.remove(at: place)
    index()
  }

  /// Changes one key of one element; nil removes the key.
  mutating func put(_ value: Value?, _ key: String, at place: Int) { all[place].json[key] = value }

  private mutating func index() {
    places = [:]
    places.reserveCapacity(all.count)
    for (place, element) in all.enumerated() { places[element.id] = place }
  }
}

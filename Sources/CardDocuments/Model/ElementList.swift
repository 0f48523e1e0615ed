// The elements of a document in drawing order, found by id without looking at each.
// Invariant: `places` says of each id where the first element of that id is.

import Values

struct ElementList: Equatable, Sendable {
  private(set) var all: [Element]
  private var places: [String: Int] = [:]

  init(_ all: [Element]) {
    self.all = all
    index()
  }

  func place(of id: String) -> Int? { places[id] }

  mutating func append(_ element: Element) {
    if places[element.id] == nil { places[element.id] = all.count }
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

  /// Changes one key of one element; nil takes the key out.
  mutating func put(_ value: Value?, _ key: String, at place: Int) { all[place].json[key] = value }

  private mutating func index() {
    places = [:]
    places.reserveCapacity(all.count)
    for (place, element) in all.enumerated() where places[element.id] == nil { places[element.id] = place }
  }
}

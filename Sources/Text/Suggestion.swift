// "Did you mean": the known name that is nearest to a mistyped one.
// Invariant: a suggestion is offered only if it is so near that a user would agree with it.

/// The optimal string alignment distance of two names: insertions, deletions, substitutions and swaps of adjacent
/// characters cost 1 each. It is the restricted Damerau-Levenshtein distance.
public func editDistance(_ first: String, _ second: String) -> Int {
  let a = Array(first)
  let b = Array(second)
  if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
  var beforePrevious = [Int](repeating: 0, count: b.count + 1)
  var previous = Array(0...b.count)
  for i in 1...a.count {
    var current = [i] + [Int](repeating: 0, count: b.count)
    for j in 1...b.count {
      let cost = a[i - 1] == b[j - 1] ? 0 : 1
      current[j] = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost)
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
        current[j] = min(current[j], beforePrevious[j - 2] + 1)
      }
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.count]
}

/// Returns the candidate nearest to `name`, ignoring case, among those within a third of its length (at least 1, at
/// most 3) that share a letter with it. If there is none and `name` has at least three characters, returns the only
/// candidate that begins with it, else nil. Equally near ones are ordered by code point.
public func suggestion(for name: String, among candidates: some Sequence<String>) -> String? {
  guard name.utf8.count <= 200 else { return nil }
  let wanted = name.lowercased()
  let limit = min(3, max(1, wanted.count / 3))
  var best: (distance: Int, candidate: String)?
  var longer: Set<String> = []
  for candidate in candidates where candidate.utf8.count <= 400 {
    let lowered = candidate.lowercased()
    if longer.count < 2, wanted.count > 2, lowered.hasPrefix(wanted) { longer.insert(candidate) }
    guard abs(lowered.count - wanted.count) <= limit else { continue }
    let distance = editDistance(wanted, lowered)
    guard distance <= limit, distance < max(lowered.count, wanted.count) else { continue }
    if let found = best, (found.distance, found.candidate) <= (distance, candidate) { continue }
    best = (distance, candidate)
  }
  return best?.candidate ?? (longer.count == 1 ? longer.first : nil)
}

/// Returns ` (did you mean "x"?)`, or nothing: the only place that words a suggestion.
public func didYouMean(_ suggestion: String?, quote: String = "\"") -> String {
  suggestion.map { " (did you mean \(quote)\(printable($0))\(quote)?)" } ?? ""
}

/// The same for the nearest of some names.
public func didYouMean(_ name: String, among candidates: some Sequence<String>, quote: String = "\"") -> String {
  didYouMean(suggestion(for: name, among: candidates), quote: quote)
}

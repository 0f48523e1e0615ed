// A note with a conflict settled by one side.
// Invariant: only the field of the conflict changes; a file's plain text becomes the HTML that the note has.

import Templates

extension ComparedEntry {
  /// The entry with a conflict settled by a side; nil where that side removed it.
  public func settling(_ conflict: MergeConflict, by side: SettledSide) -> ComparedEntry? {
    let text = conflict.text(of: side)
    if conflict.isRemoval, text == nil { return nil }
    var entry = self
    entry.conflicts.removeAll { $0 == conflict }
    if conflict.isRemoval || conflict.field == ComparedField.place || conflict.owner != nil { return entry }
    let (name, isPlain) = ownName(of: conflict.field)
    entry.set(name, to: isPlain ? FieldHTML.html(ofPlain: text ?? "") : text ?? "")
    return entry
  }

  /// The field that a file called so; `isPlain` where the file has plain text and the note HTML.
  private func ownName(of name: String) -> (name: String, isPlain: Bool) {
    let inner = JSONName.noteFields + "/"
    if name.hasPrefix(inner) { return (String(name.dropFirst(inner.count)), false) }
    guard fields.place(of: name) == nil, fields.list.count > 1 else { return (name, false) }
    switch name {
    case "prompt", "text": return (fields.list[0], true)
    case "answer": return (fields.list[1], true)
    default: return (name, false)
    }
  }
}

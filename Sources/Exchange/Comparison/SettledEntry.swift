// Settles a conflict of a note in favour of one side.
// Invariant: only the field in conflict changes; plain text from a file is converted to the HTML of the note.

import Templates

extension ComparedContent {
  /// Settles a conflict that a note stores for another object. If the chosen side removed the object, it is removed.
  public mutating func settle(_ conflict: MergeConflict, of owner: MergeConflict.Owner, by side: SettledSide) {
    switch conflict.text(of: side) {
    case let text? where !conflict.field.isEmpty:
      update(owner.key, owner.kind) { $0.set($0.localName(of: conflict.field, owner.kind), to: text) }
    case nil where conflict.field.isEmpty:
      replace(owner.kind, by: self[owner.kind].entries.filter { $0.key != owner.key })
    default: break
    }
  }
}

extension ComparedEntry {
  /// Returns the name that a field of a note type or of options, as named in a file, has here.
  fileprivate func localName(of name: String, _ kind: ComparedKind) -> String {
    let outer = (kind == .noteType ? JSONName.noteType : JSONName.deckOptions) + "/"
    return fields.place(of: name) == nil && name.hasPrefix(outer) ? String(name.dropFirst(outer.count)) : name
  }

  /// Returns the entry with a conflict settled; nil when the chosen side removed it.
  public func settling(_ conflict: MergeConflict, by side: SettledSide) -> ComparedEntry? {
    let text = conflict.text(of: side)
    if conflict.isRemoval, text == nil { return nil }
    var entry = self
    entry.conflicts.removeAll { $0 == conflict }
    if conflict.isRemoval || conflict.isOrder || conflict.owner != nil { return entry }
    let (name, isPlain) = localName(of: conflict.field)
    entry.set(name, to: isPlain ? FieldHTML.html(ofPlain: text ?? "") : text ?? "")
    return entry
  }

  /// Returns the name that a field of a file has here. `isPlain` is true when the file has plain text and the note
  /// HTML.
  private func localName(of name: String) -> (name: String, isPlain: Bool) {
    if fields.place(of: name) != nil { return (name, false) }
    let inner = JSONName.noteFields + "/"
    if name.hasPrefix(inner) { return (ComparedField.escaped(String(name.dropFirst(inner.count))), false) }
    guard fields.list.count > 1 else { return (name, false) }
    switch name {
    case "prompt", "text": return (fields.list[0], true)
    case "answer": return (fields.list[1], true)
    default: return (name, false)
    }
  }
}

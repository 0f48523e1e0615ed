// `doc set`, `doc edit` and `doc remove`: changes fields of elements, opens the terminal editor, and removes documents.
// Invariant: the editor changes a copy; its result is applied as one change of the document, and cancelling it changes
// nothing.

import CardDocuments
import Commands
import Files
import Text
import Values
import Workspace

enum DocumentEditCommands {
  static var set: BuiltIn {
    BuiltIn(
      "doc", "set", effect: .changes, summary: "Sets fields of elements.", answer: "document",
      details: """
        Fields: \(ElementField.allCases.map(\.rawValue).joined(separator: ", ")). x, y, width and height are in units \
        (a card is 1300 by 2000, x and y from its centre, y downwards), rotation in degrees clockwise. wraps=true \
        breaks the lines of a text at the sides of its box, size=N sets their height, align=left their alignment, \
        grows=true makes the box as high as they need, cropped=true lets a picture fill its box, group=NAME groups \
        elements. Words without = name elements; words with = set a field of each of them.
        """,
      arguments: [
        DocumentCommands.document,
        Argument("ELEMENT|FIELD=VALUE", isRepeating: true, help: "elements, then fields and their new values"),
      ], usage: ["doc set DOC ELEMENT... FIELD=VALUE..."], example: "doc set 6D92 1 2 x=100 rotation=15",
      complete: { _, before, session in
        if before.isEmpty { return [] }
        let fields = before.count > 1 ? fieldOffers : []
        return DocumentCommands.elementOffers(before: before, session).filter { !before.contains($0.text) } + fields
      }
    ) { invocation, session in
      let words = invocation.list("ELEMENT|FIELD=VALUE")
      let names = words.filter { !$0.contains(text: "=") }
      let changes = try words.filter { $0.contains(text: "=") }.map { try fieldAndValue($0) }
      if names.isEmpty { throw invocation.missing("ELEMENT") }
      if changes.isEmpty { throw invocation.missing("FIELD=VALUE") }
      return try DocumentCommands.changing(invocation, session) { document in
        // An element or a field that is named twice is counted once.
        let elements = try names.map { try DocumentCommands.element($0, of: document) }.distinct(by: \.id)
        for element in elements { for (field, value) in changes { try element.set(field, to: value) } }
        let what = session.counted(Set(changes.map { $0.0 }).count, "field")
        return "Changed \(what)" + (elements.count > 1 ? " of \(session.counted(elements.count, "element"))." : ".")
      }
    }
  }

  /// The fields of a new element.
  static let fields = Argument(
    "FIELD=VALUE", isOptional: true, isRepeating: true, help: "x=100, width=400, size=120, ... as for `doc set`")

  static var fieldOffers: [Offer] { ElementField.allCases.map { Offer("\($0.rawValue)=", isOpen: true) } }

  static func fieldAndValue(_ word: String) throws -> (ElementField, ElementValue) {
    let parts = word.split(at: "=", maxSplits: 1).map(String.init)
    let names = ElementField.allCases.map(\.rawValue)
    guard parts.count == 2, let field = ElementField(rawValue: parts[0]) else {
      throw ShellError.notField(word, suggestion: suggestion(for: parts[0], among: names), fields: names)
    }
    return (field, try field.value(typed: parts[1]))
  }

  static var edit: BuiltIn {
    BuiltIn(
      "doc", "edit", effect: .changes,
      summary: "Moves, resizes and rotates the elements of a document with keys, next to its picture.",
      answer: "document",
      details: """
        Tab selects an element, arrows move it, + and - change its size, [ and ] rotate it, < and > lower and raise \
        it, w and c wrap or crop it, a aligns a text, s changes the step, u undoes, ? lists the keys. Enter saves the \
        changes, Esc discards them.
        """, arguments: [DocumentCommands.document], example: "doc edit 6D92"
    ) { invocation, session in
      guard session.canAsk, session.console.terminal.canRedraw, !session.state.isInScript else {
        throw EditorError.noTerminal(instead: "use `doc set` to set new values")
      }
      let name = session.environment.folders.expanded(invocation.text("DOC"))
      let handle = try session.workspace().documents.open(name)
      guard let edited = try DocumentEditor(session, handle).run() else {
        return .unchanged(.object(handle))
      }
      return try DocumentCommands.changing(invocation, session) { document in
        let count = try edited.apply(to: document)
        return "Changed \(session.counted(count, "element"))."
      }
    }
  }

  static var remove: BuiltIn {
    BuiltIn(
      "doc", "remove", effect: .changes, summary: "Removes a document.", answer: "boolean",
      details: "At a terminal it asks first.", arguments: [DocumentCommands.document], example: "doc remove 6D92"
    ) { invocation, session in
      let documents = try session.workspace().documents
      if let id = try documents.damaged(invocation.text("DOC")) {
        return try removing(id, named: id.description, session) { try documents.removeDamaged(id) }
      }
      let handle = try DocumentCommands.document(invocation, session)
      let document = try handle.document()
      return try removing(document.id, named: document.content.title, session) { try handle.remove() }
    }
  }

  /// Removes a document if the user agrees; `remove` returns how many cards showed it.
  private static func removing(
    _ id: DocumentID, named name: String, _ session: Session, _ remove: () throws -> Int
  ) throws -> CommandResult {
    guard try session.confirm("Remove document \(quoted(name))?") else {
      return CommandResult(.boolean(false), line: "Nothing was removed.")
    }
    let cards = try remove()
    let shown = cards == 0 ? "" : " \(session.counted(cards, "card")) showed it."
    return CommandResult(.boolean(true), line: "Removed document \(id).\(shown)")
  }
}

// `doc panel` and `doc edit`: what groups elements in the picture, and the editor of the terminal. Invariant: the editor
// changes a copy; what came of it is one change of the document, and leaving it otherwise changes nothing.

import CardDocuments
import Commands
import Files
import Text
import Workspace

enum DocumentEditCommands {
  static var panel: BuiltIn {
    BuiltIn(
      "doc", "panel", theme: DocumentCommands.theme, access: .signedIn, effect: .changes,
      summary: "Draws a panel behind the elements of a group.",
      details: "`doc set DOC 1 2 group=NAME` puts elements into a group.",
      arguments: [
        DocumentCommands.document, Argument("GROUP", help: "the group's name"),
        Argument("COLOR", help: "R,G,B, each from 0 to 1, or #rrggbb; none takes the panel away"),
      ], example: "doc panel 6D92 verbs \"#ffeecc\""
    ) { invocation, session in
      let (group, text) = (invocation.text("GROUP"), invocation.text("COLOR"))
      let color = text == "none" ? nil : try DocumentCommands.color(text)
      return try DocumentCommands.changing(invocation, session) { document in
        try document.document().setPanel(of: group, to: color)
        return color == nil ? "Took the panel away." : "Drew a panel behind \(quoted(group))."
      }
    }
  }

  static var edit: BuiltIn {
    BuiltIn(
      "doc", "edit", theme: DocumentCommands.theme, access: .signedIn, effect: .changes,
      summary: "Moves, sizes and turns the elements of a document with keys, its picture beside them.",
      details: """
        Tab picks an element, arrows move it, + and - change its size, [ and ] turn it, < and > lower and raise it, w \
        and c wrap or crop it, s takes another step, u undoes. Enter keeps what was changed, Esc leaves all as it was.
        """,
      arguments: [DocumentCommands.document], example: "doc edit 6D92"
    ) { invocation, session in
      guard session.canAsk, session.console.terminal.canRedraw, !session.state.isInScript else {
        throw EditorError.noTerminal(instead: "give the new values to `doc set`")
      }
      let name = session.environment.folders.expanded(invocation.text("DOC"))
      let handle = try session.workspace().openDocument(name)
      guard let edited = try DocumentEditor(session, handle).run() else {
        return CommandResult(.object(handle), line: "Nothing was changed.")
      }
      return try DocumentCommands.changing(invocation, session) { document in
        let count = try edited.apply(to: document)
        return "Changed \(session.counted(count, "element"))."
      }
    }
  }
}

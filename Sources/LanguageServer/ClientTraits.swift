// The capabilities that a client reports when it starts.
// Invariant: a capability that is missing or malformed counts as absent.

import Values

struct ClientTraits {
  /// The process whose end also ends the server.
  private(set) var process: Int?
  private(set) var encoding = PositionEncoding.utf16
  /// Whether it can watch files on request.
  private(set) var watchesFiles = false
  /// Whether an edit may name the document version that it applies to.
  private(set) var takesVersions = false
  /// Whether it requests the edits of an action only when the action is chosen.
  private(set) var resolvesActions = false

  init() {}

  init(_ parameters: ValueReader) {
    process = parameters["processId"].value?.integer
    let capabilities = parameters["capabilities"]
    let encodings = capabilities["general"]["positionEncodings"].value?.list ?? []
    if encodings.contains(.text(PositionEncoding.utf8.rawValue)) { encoding = .utf8 }
    let workspace = capabilities["workspace"]
    watchesFiles = workspace["didChangeWatchedFiles"]["dynamicRegistration"].value == .boolean(true)
    takesVersions = workspace["workspaceEdit"]["documentChanges"].value == .boolean(true)
    let resolved = capabilities["textDocument"]["codeAction"]["resolveSupport"]["properties"].value?.list ?? []
    resolvesActions = resolved.contains(.text("edit"))
  }
}

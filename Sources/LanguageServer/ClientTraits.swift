// What a client says of itself as it begins.
// Invariant: what it does not say, or says in another shape, it is taken not to have.

import Values

struct ClientTraits {
  /// The process whose end is the server's.
  private(set) var process: Int?
  private(set) var encoding = PositionEncoding.utf16
  /// Whether it watches the files that it is asked to.
  private(set) var watchesFiles = false
  /// Whether an edit may say which version of a document it is for.
  private(set) var takesVersions = false
  /// Whether it asks for the edits of an action when it is chosen.
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

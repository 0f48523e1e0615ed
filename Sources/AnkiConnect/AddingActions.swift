// Adding notes, and checking whether they can be added.
// Invariant: a note that is empty or a duplicate is refused before any of it is stored; many notes are checked in one
// pass over the existing notes, and what is known of them is read again after any other change than added notes.

import Decks
import Files
import Problems
import Templates
import Text
import Values
import Workspace

enum AddingActions {
  static let all: [Action] = [
    .changing("addNote") { call in
      var adding = NoteAdding(call, [call.params["note"]])
      return .integer(Int(try adding.add(0)))
    },
    .changing("addNotes", addAll),
    .reading("canAddNote") { call in .boolean(try judged([call.params["note"]], call)[0] == nil) },
    .reading("canAddNoteWithErrorDetail") { call in detailed(try judged([call.params["note"]], call)[0]) },
    .reading("canAddNotes") { call in
      .list(try judged(call.params["notes"].elements(), call).map { .boolean($0 == nil) })
    },
    .reading("canAddNotesWithErrorDetail") { call in
      .list(try judged(call.params["notes"].elements(), call).map(detailed))
    },
  ]

  private static func detailed(_ words: String?) -> Value {
    .record([("canAdd", .boolean(words == nil))] + (words.map { [("error", .text($0))] } ?? []))
  }

  /// Returns null for each refused note; throws the reasons if all are refused.
  private static func addAll(_ call: ActionCall) throws -> Value {
    let notes = try call.params["notes"].elements()
    var adding = NoteAdding(call, notes)
    var (results, words): ([Value], [String]) = ([], [])
    for index in notes.indices {
      if call.workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
      do {
        results.append(.integer(Int(try adding.add(index))))
      } catch {
        results.append(.null)
        words.append(try ActionFailure.words(ofRefusal: error))
      }
    }
    if !words.isEmpty, words.count == notes.count { throw ActionFailure(Set(words).sorted().joined(separator: "; ")) }
    return .list(results)
  }

  /// Returns why each note cannot be added; nil for one that can.
  private static func judged(_ notes: [ValueReader], _ call: ActionCall) throws -> [String?] {
    var adding = NoteAdding(call, notes)
    return try notes.indices.map { index in
      do {
        try adding.check(index)
        return nil
      } catch {
        return try ActionFailure.words(ofRefusal: error)
      }
    }
  }
}

extension ActionFailure {
  /// The reason why one of several notes was refused.
  /// - Throws: the error, if it concerns more than the note.
  static func words(ofRefusal error: any Error) throws -> String {
    switch error {
    case let failure as ActionFailure: return failure.words
    case let shape as ShapeFailure: return "\(shape.pointer.description): \(shape.expected) expected"
    case NoteError.interrupted: throw error
    case let problem as NoteError: return problem.message
    case let problem as DeckError: return problem.message
    default: throw error
    }
  }
}

struct NoteAdding {
  private let call: ActionCall
  private let requests: [Result<AddingRequest, any Error>]
  private var taken: [FirstFieldScope: Set<String>]?

  init(_ call: ActionCall, _ notes: [ValueReader]) {
    self.call = call
    let places = NotePlaces(call)
    requests = notes.map { reader in Result { try AddingRequest(reader, places) } }
  }

  mutating func add(_ index: Int) throws -> Int64 {
    let request = try check(index)
    var note = request.note
    for name in request.unknown { call.answer.warn(field: name, of: request.type) }
    for (name, html) in try request.media.markup(in: request.type.fields, call) {
      note.fields[name, default: ""] += html
    }
    // Duplicates were checked above.
    note.mayRepeat = true
    let deck = try request.deck ?? call.ensureDeck(named: DeckRecord.firstName)
    let added: NoteHandle
    do {
      added = try deck.addNote(note, typeNamed: request.type.name)
    } catch NoteError.emptyNote {
      throw ActionFailure.empty
    }
    // A note that may repeat others counts for the notes after it too.
    let type = request.type.id
    let scopes = taken?.keys.filter { scope in
      scope == request.scope || (scope.type ?? type) == type && scope.decks?.contains(deck.id) != false
    }
    for scope in scopes ?? [] { taken?[scope]?.insert(request.key) }
    call.memory.note(added: request.key)
    return added.id.rawValue
  }

  /// - Throws: `ActionFailure` or `ShapeFailure` for a note that cannot be added.
  @discardableResult fileprivate mutating func check(_ index: Int) throws -> AddingRequest {
    let request = try requests[index].get()
    if request.key.isEmpty { throw ActionFailure.empty }
    if let scope = request.scope, try known()[scope]?.contains(request.key) == true { throw ActionFailure.duplicate }
    if request.type.isCloze {
      try NoteTable.checkFilled(request.type.fields.map { request.note.fields[$0] ?? "" }, request.type)
    }
    return request
  }

  private mutating func known() throws -> [FirstFieldScope: Set<String>] {
    if let taken { return taken }
    var keys: [FirstFieldScope: Set<String>] = [:]
    for case .success(let request) in requests {
      if let scope = request.scope, !request.key.isEmpty { keys[scope, default: []].insert(request.key) }
    }
    for (scope, names) in keys { keys[scope] = try call.memory.taken(names, in: scope, call.workspace) }
    taken = keys
    return keys
  }
}

private final class NotePlaces {
  private let call: ActionCall
  private var types: [String: NoteType] = [:]
  private var decks: [String: DeckHandle?] = [:]
  private var inner: [DeckID: [DeckID]] = [:]

  init(_ call: ActionCall) { self.call = call }

  func type(_ name: String) throws -> NoteType { try types.kept(name) { try call.noteType(named: name).record() } }

  /// Nil for `Default` before it is used.
  func deck(_ name: String) throws -> DeckHandle? { try decks.kept(name) { try call.deck(named: name) } }

  /// Nil for a deck that does not exist.
  func known(_ name: String) throws -> DeckHandle? {
    if let deck = decks[name] { return deck }
    let deck = try call.workspace.decks.named(name)
    if deck != nil { decks[name] = .some(deck) }
    return deck
  }

  func decks(within top: DeckHandle) throws -> [DeckID] { try inner.kept(top.id) { try top.within().map(\.id) } }
}

private struct AddingRequest {
  let note: NewNote
  let type: NoteType
  /// Nil for `Default` before it is used.
  let deck: DeckHandle?
  let media: RequestedMedia
  let unknown: [String]
  let key: String
  /// The notes that it must not duplicate; nil if duplicates are allowed.
  let scope: FirstFieldScope?

  init(_ reader: ValueReader, _ places: NotePlaces) throws {
    type = try places.type(reader["modelName"].text())
    deck = try places.deck(reader["deckName"].text())
    var (fields, unknown): ([String: String], [String]) = ([:], [])
    for (name, value) in try reader["fields"].fields() {
      // Fields that the type does not have are named in a warning; names are case-insensitive.
      let key = name.lowercased()
      let known = type.fields.first { $0 == name } ?? type.fields.first { $0.lowercased() == key }
      guard let own = known else {
        unknown.append(name)
        continue
      }
      fields[own] = try value.text()
    }
    self.unknown = unknown
    let tags = try reader["tags"].isGiven ? TagActions.list(reader["tags"]) : []
    note = NewNote(fields: fields, tags: tags)
    media = try RequestedMedia.list(of: reader)
    key = NoteTable.firstFieldKey(fields[type.fields.first ?? ""] ?? "")
    scope = try Self.scope(reader["options"], type, deck, places)
  }

  private static func scope(
    _ options: ValueReader, _ type: NoteType, _ deck: DeckHandle?, _ places: NotePlaces
  ) throws -> FirstFieldScope? {
    func scope(_ decks: [DeckID]?, all: Bool) -> FirstFieldScope {
      FirstFieldScope(type: all ? nil : type.id, decks: decks)
    }
    guard options.isGiven else { return scope(nil, all: false) }
    if try flag(options.asRecord(), "allowDuplicate") { return nil }
    let more = options["duplicateScopeOptions"]
    let hasMore = more.value?.record != nil
    let isAll = try hasMore && flag(more, "checkAllModels")
    guard options["duplicateScope"].value?.text == "deck" else { return scope(nil, all: isAll) }
    var top = deck
    if hasMore, more["deckName"].isGiven { top = try places.known(more["deckName"].text()) }
    // A deck that does not exist contains nothing.
    guard let top else { return scope([], all: isAll) }
    let within = try hasMore && flag(more, "checkChildren") ? places.decks(within: top) : []
    return scope([top.id] + within, all: isAll)
  }

  private static func flag(_ options: ValueReader, _ name: String) throws -> Bool {
    try options[name].isGiven && options[name].boolean()
  }
}

final class ServerMemory {
  /// Hashes of the keys of first fields: a key whose hash is missing is not used by any note.
  private var hashes: [FirstFieldScope: Set<Int>] = [:]
  private var changeCount = -1
  /// Whether the current action adds notes, and so makes no change that is not recorded here.
  private var hasAdded = false
  private weak var workspace: Workspace?

  /// Returns the keys that are already the first field of a note.
  func taken(_ keys: Set<String>, in scope: FirstFieldScope, _ workspace: Workspace) throws -> Set<String> {
    if workspace !== self.workspace || workspace.changeCount != changeCount { hashes = [:] }
    (self.workspace, changeCount) = (workspace, workspace.changeCount)
    // The cache is cleared when it holds too many scopes.
    if hashes[scope] == nil, hashes.count >= Self.mostScopes { hashes = [:] }
    let known = try hashes.kept(scope) { try workspace.notes.firstFieldHashes(in: scope) }
    let likely = keys.filter { known.contains($0.hashValue) }
    return likely.isEmpty ? [] : try workspace.notes.takenFirstFields(likely, in: scope)
  }

  private static let mostScopes = 16

  func note(added key: String) {
    // Not over the keys themselves: they would hold the sets, and each would be copied.
    for scope in Array(hashes.keys) { hashes[scope]?.insert(key.hashValue) }
    hasAdded = true
  }

  /// Called when an action ends: one that added notes made no other relevant change, unless it was rolled back.
  func finish(_ workspace: Workspace, isKept: Bool) {
    if hasAdded, isKept, workspace === self.workspace { changeCount = workspace.changeCount }
    hasAdded = false
  }
}

// The requests of `serve` to the shell that the same user runs alongside it, and the shell's answers: one JSON frame
// each.
// Invariant: only card ids and the requests themselves are sent, never the texts of cards.

public import Values

/// An operation for the shell, as if its user had typed it.
///
///     ShellRequest(.answer, number: 3, origin: "Yomitan, guiAnswerCard")
public struct ShellRequest: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// Returns the card being studied.
    case study
    case showQuestion = "show_question"
    case showAnswer = "show_answer"
    /// Answers the card whose answer is shown; `number` is the number of the rating.
    case answer
    case startTimer = "start_timer"
    case playSounds = "play_sounds"
    case undo
    /// Studies the deck that `text` names.
    case review
    /// Lists the cards that the search `text` finds, in Anki's search language.
    case list
    /// Shows the card, or the note, with that id.
    case showCard = "show_card"
    case showNote = "show_note"
    /// Opens the note with that id in the user's editor.
    case editNote = "edit_note"
  }

  /// In bytes.
  private static let longestOrigin = 1000

  public let kind: Kind
  public var number = 0
  public var text = ""
  /// The client and the action, as undo steps name them.
  public let origin: String

  public init(_ kind: Kind, number: Int = 0, text: String = "", origin: String) {
    (self.kind, self.number, self.text, self.origin) = (kind, number, text, origin)
  }

  public init?(_ value: Value) {
    guard let record = value.record, let kind = record["kind"]?.text.flatMap(Kind.init),
      let number = record["number"]?.integer, let text = record["text"]?.text, let origin = record["origin"]?.text,
      origin.utf8.count <= Self.longestOrigin
    else { return nil }
    self.init(kind, number: number, text: text, origin: origin)
  }

  public var value: Value {
    .record([
      ("kind", .text(kind.rawValue)), ("number", .integer(number)), ("text", .text(text)), ("origin", .text(origin)),
    ])
  }
}

/// The card being studied.
public struct StudyState: Equatable, Sendable {
  /// The number of a key, and the seconds until the card would be due again; nil if it has no schedule.
  public struct Choice: Equatable, Sendable {
    public let number: Int
    public let interval: Double?

    public init(_ number: Int, _ interval: Double?) { (self.number, self.interval) = (number, interval) }
  }

  public let card: Int
  public let choices: [Choice]

  public init(card: Int, choices: [Choice]) { (self.card, self.choices) = (card, choices) }
}

public enum ShellReply: Equatable, Sendable {
  /// Whether it was done, or will be done at once.
  case done(Bool)
  /// The card being studied; nil if there is none.
  case studied(StudyState?)
  /// The shell is busy with something else.
  case busy

  public init?(_ value: Value) {
    guard let record = value.record else { return nil }
    if let isDone = record["done"]?.boolean {
      self = .done(isDone)
    } else if let card = record["card"]?.integer, let choices = record["choices"]?.list {
      let found = choices.compactMap { choice -> StudyState.Choice? in
        guard let number = choice.record?["number"]?.integer else { return nil }
        return StudyState.Choice(number, choice.record?["interval"]?.double)
      }
      self = .studied(StudyState(card: card, choices: found))
    } else if record["studied"]?.boolean == false {
      self = .studied(nil)
    } else if record["busy"]?.boolean == true {
      self = .busy
    } else {
      return nil
    }
  }

  public var value: Value {
    switch self {
    case .done(let isDone): .record([("done", .boolean(isDone))])
    case .studied(let study?):
      .record([
        ("card", .integer(study.card)),
        (
          "choices",
          .list(
            study.choices.map { choice in
              .record([
                ("number", .integer(choice.number)), ("interval", choice.interval.map { .number($0) } ?? .null),
              ])
            })
        ),
      ])
    case .studied(nil): .record([("studied", .boolean(false))])
    case .busy: .record([("busy", .boolean(true))])
    }
  }
}

/// The maximum size of a frame in bytes, in both directions: a search may be long.
public let longestShellFrame = 1 << 18

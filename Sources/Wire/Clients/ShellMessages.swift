// What `serve` asks of the shell of the same user that runs beside it, and what that answers: one frame of JSON each.
// Invariant: only numbers of cards and what the user is asked go over; texts of cards never do.

public import Values

/// What the shell is to do, as if its user had typed it.
///
///     ShellRequest(.answer, number: 3, origin: "Yomitan, guiAnswerCard")
public struct ShellRequest: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// Which card is studied.
    case study
    case showQuestion = "show_question"
    case showAnswer = "show_answer"
    /// Answers the card whose answer is shown; `number` is the answer's.
    case answer
    case startTimer = "start_timer"
    case playSounds = "play_sounds"
    case undo
    /// Studies the deck that `text` names.
    case review
    /// Lists the cards that `text` finds, in Anki's language.
    case list
    /// Shows the card, or the note, of the number.
    case showCard = "show_card"
    case showNote = "show_note"
    /// Opens the note of the number in the user's editor.
    case editNote = "edit_note"
  }

  /// Bytes.
  private static let longestOrigin = 1000

  public let kind: Kind
  public var number = 0
  public var text = ""
  /// Who asks, and for what, as steps of undo name it.
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

/// The card that is studied.
public struct StudyState: Equatable, Sendable {
  /// The number of a key, and the seconds until the card comes back then; nil where it has no schedule.
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
  /// Whether it was done, or will be at once.
  case done(Bool)
  /// The card that is studied; nil while none is.
  case studied(StudyState?)
  /// The shell does something else.
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

/// Bytes of a frame either way: a search may be long.
public let longestShellFrame = 1 << 18

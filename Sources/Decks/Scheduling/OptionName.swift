// The options of a preset by name: the meaning, the allowed values and the initial value of each. They mean the same as
// Anki's options with the same names. Invariant: a released name keeps its meaning; another meaning gets a new name.

import Text

/// The kind of the values of an option.
public enum OptionKind: Equatable, Sendable {
  case whole(ClosedRange<Int>)
  case number(ClosedRange<Double>)
  case flag
  /// One of these words; a text of one line if there are none.
  case choice([String])
  /// Seconds, in the order in which a card passes the steps.
  case steps
  /// The parameters of FSRS: none, 17, 19 or 21 numbers.
  case parameters
  /// A share from 0 to 1 for each day of the week, Monday first.
  case weekdays
}

public enum OptionValue: Equatable, Sendable {
  case number(Double)
  case flag(Bool)
  case choice(String)
  case steps([Double])
  case parameters([Double])
  case weekdays([Double])
}

extension DeckOptions {
  /// An option by the name that Lua, commands and files use.
  public enum Name: String, CaseIterable, Hashable, Sendable {
    case newPerDay = "new_per_day"
    case reviewsPerDay = "reviews_per_day"
    case desiredRetention = "desired_retention"
    case leechThreshold = "leech_threshold"
    case maximumInterval = "maximum_interval"
    case newIgnoresReviewLimit = "new_ignores_review_limit"
    case learningSteps = "learning_steps"
    case relearningSteps = "relearning_steps"
    case minimumLapseInterval = "minimum_lapse_interval"
    case leechAction = "leech_action"
    case newGather = "new_gather"
    case newSort = "new_sort"
    case newMix = "new_mix"
    case reviewOrder = "review_order"
    case buryNew = "bury_new"
    case buryReviews = "bury_reviews"
    case buryLearning = "bury_learning"
    case fuzz
    case loadBalance = "load_balance"
    case easyDays = "easy_days"
    case shortTerm = "short_term"
    case maximumAnswerSeconds = "maximum_answer_seconds"
    case model
    case answerTime = "answer_time"
    case parameters
    case keepFields = "keep_fields"

    public var text: String { rawValue }

    public var kind: OptionKind { facts.kind }

    /// Its value if it was not set.
    public var initial: OptionValue { facts.initial }

    public var summary: String { facts.summary }
  }

  /// - Throws: `badOption` for an unknown name.
  public static func name(_ text: String) throws(DeckError) -> Name {
    guard let name = Name(rawValue: text) else {
      throw .badOption(name: text, reason: "is not an option of a deck\(hint(for: text))")
    }
    return name
  }

  /// A hint at the name that was meant: the nearest name, or else the names that share a word with it (`retention`,
  /// `new`); if there is none, the command that lists all names.
  private static func hint(for text: String) -> String {
    let names = Name.allCases.map(\.text)
    if let near = suggestion(for: text, among: names) { return didYouMean(near) }
    let words = Set(text.lowercased().split(separator: "_"))
    let alike = names.filter { !words.isDisjoint(with: $0.split(separator: "_")) }
    if alike.isEmpty { return "; `deck options DECK` lists them" }
    return " (did you mean \(alike.map { quoted($0) }.joined(separator: " or "))?)"
  }
}

extension DeckOptions.Name {
  private typealias Facts = (kind: OptionKind, initial: OptionValue, summary: String)

  private var facts: Facts {
    switch self {
    case .newPerDay: (.whole(0...9999), .number(20), "New cards shown on one day.")
    case .reviewsPerDay: (.whole(0...9999), .number(200), "Learnt cards shown on one day.")
    case .newIgnoresReviewLimit:
      (.flag, .flag(false), "Whether new cards are shown after the day's limit of reviews is reached.")
    case .desiredRetention:
      (.number(0.7...0.99), .number(0.9), "The probability of remembering at which a card is shown again.")
    case .maximumInterval: (.whole(1...36_500), .number(36_500), "The longest interval, in days.")
    case .minimumLapseInterval:
      (.whole(1...36_500), .number(1), "The shortest interval after a lapse without steps, in days.")
    case .learningSteps:
      (.steps, .steps([60, 600]), "How long until a new card is shown again, step by step; auto: the model decides.")
    case .relearningSteps:
      (.steps, .steps([600]), "How long until a forgotten card is shown again, step by step; auto: the model decides.")
    case .leechThreshold:
      (.whole(1...9999), .number(8), "Lapses after which a card is a leech whatever the memory model says.")
    case .leechAction:
      (.choice(["tag", "suspend"]), .choice("tag"), "Whether a leech is only tagged, or also suspended.")
    case .fuzz: (.flag, .flag(true), "Whether intervals vary a little, so that cards do not stay together.")
    case .loadBalance: (.flag, .flag(false), "Whether fuzz prefers days on which few cards are due.")
    case .easyDays:
      (
        .weekdays, .weekdays(Array(repeating: 1, count: 7)),
        "The share of a usual day's cards that each day of the week gets: sun=0 keeps it free."
      )
    case .shortTerm:
      (.flag, .flag(true), "Whether short steps are used and answers on the same day count for the memory model.")
    case .maximumAnswerSeconds:
      (.whole(1...DeckOptions.longestAnswer), .number(60), "The longest time recorded for one answer, in seconds.")
    case .model:
      (
        .choice(["auto", "both", "fsrs-6", "fsrs-7"]), .choice("auto"),
        "The memory model: auto is both together, fitted by `deck optimize`, unless FSRS-6 alone predicts better."
      )
    case .answerTime: (.flag, .flag(true), "Whether a slow answer brings the card back sooner (model auto or both).")
    case .parameters: (.parameters, .parameters([]), "The parameters of FSRS-6; if empty, the published ones are used.")
    case .keepFields: (.choice([]), .choice(""), "The fields of existing notes that imports do not change.")
    case .newGather:
      (choices(of: NewGathering.self), .choice(NewGathering.deck.rawValue), "Which new cards are taken first.")
    case .newSort:
      (choices(of: NewOrder.self), .choice(NewOrder.template.rawValue), "The order of the new cards that were taken.")
    case .newMix:
      (
        choices(of: NewMix.self), .choice(NewMix.after.rawValue),
        "Whether new cards come after, before or among reviews."
      )
    case .reviewOrder: (choices(of: ReviewOrder.self), .choice(ReviewOrder.due.rawValue), "The order of learnt cards.")
    case .buryNew:
      (.flag, .flag(false), "Whether new cards of a note wait until tomorrow once another card of it was answered.")
    case .buryReviews: (.flag, .flag(false), "The same for learnt cards.")
    case .buryLearning: (.flag, .flag(false), "The same for cards that are learnt over several days.")
    }
  }

  private func choices<Choice: CaseIterable & RawRepresentable<String>>(of type: Choice.Type) -> OptionKind {
    .choice(type.allCases.map(\.rawValue))
  }

  /// The allowed values in words: `a whole number from 0 to 9,999`, `a number from 0.7 to 0.99`.
  public var expectation: String {
    switch kind {
    case .whole(let range): "a whole number from \(grouped(range.lowerBound)) to \(grouped(range.upperBound))"
    case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .flag: "true or false"
    case .choice([]): "names of fields separated by commas, in one line"
    case .choice(let choices): "one of \(choices.joined(separator: ", "))"
    case .steps: "at most 100 steps from 1s to 365d, as in \"1m 10m\", or auto"
    case .parameters: "empty, or 17, 19 or 21 numbers"
    case .weekdays: "shares from 0 to 1 of days from mon to sun, as in \"sat=0.5 sun=0\", or 7 numbers"
    }
  }
}

/// The order in which learnt cards are shown.
public enum ReviewOrder: String, CaseIterable, Sendable {
  /// By the day on which they are due; those of one day in the order in which they were added.
  case due
  case dueRandom = "due_random"
  case dueDeck = "due_deck"
  case deckDue = "deck_due"
  case shortest, longest, easiest, hardest
  /// The least likely to be remembered first.
  case forgotten
  /// The most likely to be remembered first.
  case remembered
  case overdue, added
  case addedLast = "added_last"
  case random

  /// Whether a deck's cards come in the order of the days on which they are due.
  var isByDay: Bool { [.due, .dueRandom, .dueDeck, .deckDue].contains(self) }
}

/// Which new cards are taken first.
enum NewGathering: String, CaseIterable {
  case deck
  case lowestPosition = "lowest_position"
  case highestPosition = "highest_position"
  case randomNotes = "random_notes"
  case randomCards = "random_cards"
}

/// The order of the new cards that were taken.
enum NewOrder: String, CaseIterable {
  case template, gathered
  case templateRandom = "template_random"
  case randomNote = "random_note"
  case random
}

/// Where new cards come among reviews.
enum NewMix: String, CaseIterable { case after, before, mix }

// What the row of a card holds besides its texts, whether it is read in place or copied.
// Invariant: a rule or a field that depends only on these columns is written once, here, for both.

public import Values

/// The columns of a card besides its texts.
///
///     card.value(of: .interval, at: moment)   // .integer(12), or .null
public protocol CardColumns: HidingColumns {
  var schedule: CardSchedule { get }
  var state: CardState { get }
  var flag: Int { get }
  /// Seconds since 1970.
  var created: Double { get }
  var modified: Double { get }
}

/// The columns that say whether a card is shown.
public protocol HidingColumns {
  var isSuspended: Bool { get }
  /// The card is not shown before the day that begins then, in seconds since 1970; nil for a card that is not buried.
  var buriedUntil: Double? { get }
}

extension HidingColumns {
  /// Whether the card is hidden until the next day.
  public func isBuried(at moment: StudyMoment) -> Bool { moment.isBuried(until: buriedUntil) }
  /// Whether the card is neither suspended nor buried.
  func isShown(at moment: StudyMoment) -> Bool { !isSuspended && !isBuried(at: moment) }
}

extension CardColumns {
  public var state: CardState { schedule.state }
  /// The name of the state that users and Lua see.
  public var stateName: String { isSuspended ? "suspended" : state.name }

  /// A field as plain data: null if the card has no value, nil for a field that is not in these columns.
  public func value(of property: CardProperty, at moment: StudyMoment) -> Value? {
    switch property {
    case .state: .text(stateName)
    case .due: number(schedule.due)
    case .interval: state == .review ? .integer(moment.interval(of: schedule)) : .null
    case .stability: number(schedule.stability)
    case .difficulty: number(schedule.difficulty)
    case .lastReview: number(schedule.lastReview)
    case .step: .integer(schedule.step)
    case .reps: .integer(schedule.reps)
    case .lapses: .integer(schedule.lapses)
    case .flag: .integer(flag)
    case .buried: .boolean(isBuried(at: moment))
    case .created: .number(created)
    case .modified: .number(modified)
    case .prompt, .answer, .tags, .document, .note, .noteType, .guid, .deck, .position, .fields, .retrievability: nil
    }
  }

  private func number(_ number: Double?) -> Value { number.map { .number($0) } ?? .null }
}

extension CardRecord: CardColumns {}
extension ListedCard: CardColumns {}

extension CardFieldValue {
  /// The value as plain data. JSON that cannot be parsed becomes text.
  public var plain: Value {
    switch self {
    case .text(let text): return .text(text)
    case .json(let json):
      do throws(JSONFailure) { return try JSONParser.parse(Array(json.utf8), limits: FieldText.limits) } catch {
        // A value that is too deep or too long to parse is still shown.
        return .text(json)
      }
    }
  }
}

// The check of a declaration: a function that returns why a value is refused although it fits its kind.
// Invariant: while a check runs nothing is declared or changed, so that transactions never nest.

import Problems
import Text

/// Returns why a value that fits the kind of a setting is refused; nil accepts it.
public typealias SettingCheck = (SettingValue) throws -> String?

/// The reason why a value does not fit.
struct Mismatch: Error {
  let reason: String
}

extension SettingsTree {
  /// Returns why the check refuses a value that fits the kind; nil if it accepts the value.
  func refusal(of value: SettingValue, for leaf: SettingNode) throws(SettingsError) -> String? {
    guard let check = leaf.check else { return nil }
    // A check may load the stored values, which runs other checks.
    let wasChecking = isChecking
    isChecking = true
    defer { isChecking = wasChecking }
    do { return try check(value) } catch { throw .checkFailed(leaf.name, error) }
  }

  /// Reads a value that was stored or comes from outside, or returns why it does not fit. A check that fails refuses
  /// it.
  func reading(
    _ given: SettingValue, for leaf: SettingNode, _ fit: (SettingKind) -> SettingValue?
  ) -> Result<SettingValue, Mismatch> {
    guard let kind = leaf.declaration?.kind, let value = fit(kind) else {
      let expectation = leaf.declaration?.kind.expectation ?? ""
      return .failure(Mismatch(reason: "\(expectation) is expected, not \(quoted(leaf.shown(given).text))"))
    }
    do {
      if let reason = try refusal(of: value, for: leaf) { return .failure(Mismatch(reason: reason)) }
    } catch {
      return .failure(Mismatch(reason: error.message))
    }
    return .success(value)
  }

  /// - Throws: while a check is running.
  func requireNoCheck() throws(SettingsError) {
    if isChecking { throw .changedWhileChecked }
  }
}

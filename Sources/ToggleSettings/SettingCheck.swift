// The check of a declaration: a function that says why a value that fits its kind is refused all the same.
// Invariant: while a check runs nothing is declared or changed, so that a transaction is never within another.

import Problems
import Text

/// Why a value that fits the kind of a setting is refused; nil admits it.
public typealias SettingCheck = (SettingValue) throws -> String?

/// Why a value does not fit.
struct Misfit: Error {
  let reason: String
}

extension SettingsTree {
  /// Why the check refuses a value that fits the kind; nil when it admits it.
  func refusal(of value: SettingValue, for leaf: SettingNode) throws(SettingsError) -> String? {
    guard let check = leaf.check else { return nil }
    isChecking = true
    defer { isChecking = false }
    do { return try check(value) } catch { throw .checkFailed(leaf.name, error) }
  }

  /// Reads a value that was kept or comes from outside, or says why it does not fit; a check that fails refuses it.
  func reading(
    _ given: SettingValue, for leaf: SettingNode, _ fit: (SettingKind) -> SettingValue?
  ) -> Result<SettingValue, Misfit> {
    guard let kind = leaf.declaration?.kind, let value = fit(kind) else {
      let expectation = leaf.declaration?.kind.expectation ?? ""
      return .failure(Misfit(reason: "\(expectation) is expected, not \(quoted(leaf.shown(given).text))"))
    }
    do {
      if let reason = try refusal(of: value, for: leaf) { return .failure(Misfit(reason: reason)) }
    } catch {
      return .failure(Misfit(reason: error.message))
    }
    return .success(value)
  }

  /// - Throws: while a check runs.
  func requireNoCheck() throws(SettingsError) {
    if isChecking { throw .changedWhileChecked }
  }
}

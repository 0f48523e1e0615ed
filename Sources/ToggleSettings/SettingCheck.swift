// The check of a declaration, and the values from outside that it and the kind accept.
// Invariant: while a check runs nothing is declared or changed, so that transactions never nest.

import Problems
import Text

/// Returns why a value that fits the kind of a setting is refused; nil accepts it.
public typealias SettingCheck = (SettingValue) throws -> String?

/// The reason why a value does not fit.
struct Mismatch: Error { let reason: String }

extension SettingsTree {
  /// Returns why the check refuses a value that fits the kind; nil if it accepts the value.
  func refusal(of value: SettingValue, for setting: SettingNode) throws(SettingsError) -> String? {
    guard let check = setting.check else { return nil }
    // A check may load the stored values, which runs other checks.
    let wasChecking = isChecking
    isChecking = true
    defer { isChecking = wasChecking }
    do { return try check(value) } catch { throw .checkFailed(setting.name, error) }
  }

  /// Reads a value that was stored or comes from outside. A check that fails refuses it.
  func read(
    _ given: SettingValue, for setting: SettingNode, _ fit: (SettingKind) -> SettingValue?
  ) throws(Mismatch) -> SettingValue {
    guard let kind = setting.declaration?.kind, let value = fit(kind) else {
      let expectation = setting.declaration?.kind.expectation ?? ""
      throw Mismatch(reason: "\(expectation) is expected, not \(quoted(setting.shown(given).text))")
    }
    let reason: String?
    do { reason = try refusal(of: value, for: setting) } catch { reason = error.message }
    if let reason { throw Mismatch(reason: reason) }
    return value
  }

  /// Gives a setting the account's stored value, unless that no longer fits.
  func applyStored(to setting: SettingNode) -> [SettingsNotice] {
    guard case .value(let old)? = kept[setting.name]?.value, let standard = setting.standard else { return [] }
    do throws(Mismatch) {
      let value = try read(old, for: setting) { $0.admit(old) }
      values[setting.name]?.account = value
      return []
    } catch {
      return [.fellBack(setting.name, kept: setting.shown(old).text, reason: error.reason, to: setting.shown(standard))]
    }
  }

  /// - Throws: while a check is running.
  func requireNoCheck() throws(SettingsError) { if isChecking { throw .changedWhileChecked } }
}

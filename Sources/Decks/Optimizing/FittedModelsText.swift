// The result of fitting the memory models, as a member of a preset's options.
// Invariant: what is written reads back the same; if it cannot be parsed, it is treated as if nothing had been
// fitted.

import Memory
import Values

extension FittedModels {
  /// Its name in the options of a preset.
  static let member = "fitted"

  /// The value of the member.
  var json: String {
    Value.record([
      "answers": answers, "fsrs7": prefersFSRS7, "version": MemoryModel7.version, "firsts": firsts,
      "parameters": parameters,
    ]).json
  }

  init?(json: String) {
    do {
      let limits = JSONLimits(bytes: 1 << 16, depth: 3, values: 100, string: 100)
      let record = try JSONParser.parse(Array(json.utf8), limits: limits).record
      guard let answers = record?["answers"]?.integer, let version = record?["version"]?.integer,
        let parameters = record?["parameters"]?.list, let firsts = record?["firsts"]?.list
      else { return nil }
      try self.init(
        answers: answers, prefersFSRS7: record?["fsrs7"]?.boolean ?? false, parameters: parameters.compactMap(\.double),
        firsts: firsts.compactMap(\.integer), version: version)
    } catch {
      // A newer version may allow other ranges: the models are then fitted again.
      return nil
    }
  }
}

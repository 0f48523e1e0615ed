// What a preset keeps of a fitting, as a member of its options.
// Invariant: what is written reads back as the same; what cannot be read is as if nothing had been fitted.

import Memory
import Values

extension FittedModels {
  /// Its name among the options of a preset.
  static let member = "fitted"

  /// The member's value.
  var json: String {
    Value.record([
      ("answers", .integer(answers)), ("fsrs7", .boolean(prefersFSRS7)), ("version", .integer(MemoryModel7.version)),
      ("firsts", .list(firsts.map { .integer($0) })), ("parameters", .list(parameters.map { .number($0) })),
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
      // A newer program may know other ranges: the models are fitted anew.
      return nil
    }
  }
}

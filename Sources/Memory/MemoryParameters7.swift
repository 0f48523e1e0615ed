// The 34 parameters of FSRS-7: the published ones, where fitting starts; the range of each; how far each deviates from
// the published one over many people. Source: fsrs-rs `src/parameter_clipper_v7.rs`, `src/training_v7.rs`.
// Invariant: `MemoryModel7` accepts whatever `clamp` returns.

extension MemoryModel7 {
  public static let count = 34
  /// The published version that the numbers belong to. Parameters of another version are fitted anew.
  public static let version = 1

  /// Where fitting starts; they are never used to schedule.
  static let published: [Double] = [
    0.1104, 2.2395, 3.9221, 11.7841, 6.1686, 0.6457, 3.6807,
    1.9795, 0, 1.3826, 0.7024, 0.5999, 0.8146, 0.6398, 1,
    1.3207, 0.6707, 3.8668, 0.4416, 0.0934, 1.8631, 0.6162, 1.0869,
    0.1567, 0.0801, 0.2421, 0.9464, 0.1433, 0.7145, 0, 0.5667, 0.3734, 0.5333, 0.3048,
  ]

  static let ranges: [ClosedRange<Double>] = [
    1e-4...50, 1e-4...100, 1e-4...100, 1e-4...100, 1...10, 0.001...4, 0.1...4,
    0...4, 0...1.2, 0.3...3, 0.01...1.5, 0.1...1, 0...3.5, 0...1, 1...7,
    0...4, 0...2, 0.5...6, 0.001...1.5, 0.001...1, 0...5, 0...1, 1...7,
    0.01...0.25, 0.01...0.95, 0.2...0.85, 0.5...0.99, 0.01...1, 0.1...1, 0...0.9, 0.1...1.1, 0...1, 0...0.6, 0...0.6,
  ]

  /// The standard deviation of each parameter over many people; the first four have no expected value.
  static let spread: [Double] = [
    9999, 9999, 9999, 9999, 0.523, 0.2528, 0.4329,
    0.2966, 0.2139, 0.2889, 0.1862, 0.175, 0.3812, 0.3013, 0.9104,
    0.3234, 0.2448, 0.3273, 0.1842, 0.1735, 0.4608, 0.311, 0.864,
    0.0418, 0.2596, 0.0798, 0.0682, 0.1282, 0.1397, 0.1407, 0.1489, 0.2, 0.15, 0.15,
  ]

  /// Clamps each parameter to its range; a better first answer never starts with less, and the slow memory never falls
  /// below the fast one.
  static func clamp(_ w: inout [Double]) {
    for index in 0..<count { w[index] = min(ranges[index].upperBound, max(ranges[index].lowerBound, w[index])) }
    for index in 1...3 { w[index] = max(w[index], w[index - 1]) }
    w[26] = max(w[26], w[25])
  }
}

// What the program ends with. Invariant: these are the statuses of the contract; nothing else is ever given.

package enum ExitStatus {
  package static let done: Int32 = 0
  package static let failed: Int32 = 1
  package static let usage: Int32 = 2
  package static let signIn: Int32 = 77
  package static let interrupted: Int32 = 130
}

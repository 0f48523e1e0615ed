/// The exit statuses of the program.
public enum ExitStatus {
  public static let done: Int32 = 0
  /// A command or a script failed.
  public static let failed: Int32 = 1
  /// Wrong usage: an unknown command or option, a missing argument.
  public static let usage: Int32 = 2
  /// A sign-in is needed and is missing, denied or locked.
  public static let signIn: Int32 = 77
  public static let interrupted: Int32 = 130
}

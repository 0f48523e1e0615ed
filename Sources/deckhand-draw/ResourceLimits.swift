// The resource limits of this process, which it sets itself before it reads any untrusted data.

import CDrawing
import Glibc

enum ResourceLimits {
  private static let memory: rlim_t = 1 << 30
  private static let secondsPerRequest: rlim_t = 20

  static func apply() {
    // A single arena: otherwise each of GLib's threads would reserve address space.
    mallopt(M_ARENA_MAX, 1)
    limit(RLIMIT_AS, memory)
    limit(RLIMIT_CORE, 0)
    limit(RLIMIT_NOFILE, 64)
    renewTime()
    // On a kernel without seccomp or Landlock, the other limits still hold.
    _ = cdrawing_confine()
    // Only now, because fontconfig caches what it learns about new fonts.
    limit(RLIMIT_FSIZE, 0)
  }

  /// Allows that many seconds of processor time from now; then the kernel ends the process.
  static func renewTime() {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let used = rlim_t(clamping: usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    let resource = __rlimit_resource_t(RLIMIT_CPU.rawValue)
    var bounds = rlimit()
    getrlimit(resource, &bounds)
    // The hard limit may have been lowered (`ulimit -t`), and cannot be raised again.
    bounds.rlim_cur = min(used + secondsPerRequest, bounds.rlim_max)
    setrlimit(resource, &bounds)
  }

  private static func limit(_ resource: __rlimit_resource, _ value: rlim_t) {
    var bounds = rlimit(rlim_cur: value, rlim_max: value)
    setrlimit(__rlimit_resource_t(resource.rawValue), &bounds)
  }
}

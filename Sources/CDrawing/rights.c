// A seccomp filter: deckhand-draw reads fonts and decodes pictures, it needs nothing that is listed here.
// Invariant: whatever a hostile picture makes of this process, it can neither write a file nor reach the network.

#include "cdrawing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_ARCHITECTURE

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define DENY(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), REFUSE
// An open that could write, create or cut is refused; argument `index` holds its flags (the low half, little endian).
#define DENY_WRITING(name, index) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), LOAD(args[index]), \
  BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1), REFUSE, ALLOW

int cdrawing_drop_rights(void) {
  struct sock_filter rules[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
#if defined(__x86_64__)
    // The x32 numbers name the same calls again.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), REFUSE,
    DENY(fork), DENY(vfork), DENY(unlink), DENY(rename), DENY(mkdir), DENY(rmdir), DENY(link), DENY(symlink),
    DENY(chmod), DENY(chown), DENY(lchown), DENY(creat), DENY(mknod),
    DENY_WRITING(open, 1),
#endif
    DENY(socket), DENY(socketpair), DENY(connect), DENY(bind), DENY(listen), DENY(accept), DENY(accept4),
    DENY(execve), DENY(execveat), DENY(ptrace), DENY(process_vm_readv), DENY(process_vm_writev), DENY(kill),
    DENY(pidfd_send_signal), DENY(pidfd_open), DENY(unlinkat), DENY(renameat2), DENY(renameat), DENY(mkdirat),
    DENY(linkat), DENY(symlinkat), DENY(mknodat), DENY(fchmod), DENY(fchmodat), DENY(fchown), DENY(fchownat),
    DENY(truncate), DENY(ftruncate), DENY(setxattr), DENY(mount), DENY(umount2), DENY(chroot), DENY(pivot_root),
    DENY(bpf), DENY(keyctl), DENY(add_key), DENY(io_uring_setup), DENY(perf_event_open), DENY(userfaultfd),
    DENY(unshare), DENY(setns), DENY(openat2), DENY(msgget), DENY(shmget), DENY(semget),
    DENY_WRITING(openat, 2),
    ALLOW,
  };
  struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

int cdrawing_drop_rights(void) {
  errno = ENOSYS;
  return -1;
}

#endif

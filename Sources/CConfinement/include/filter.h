// Macros with which a process that gives up its rights builds its list of system calls: a seccomp filter. A call that
// is not listed is refused. Invariant: each macro is complete by itself, so a list can be in any order.

#ifndef DECKHAND_FILTER_H
#define DECKHAND_FILTER_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(number) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (number))
#define REFUSE ANSWER(EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
// If the call (or the loaded value) equals `value`, continues with the next instruction; otherwise skips `skipped`.
#define IF_EQUAL(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped)
// The start of a list: a call of another architecture ends the process; then the call's number is loaded.
#define OWN_CALLS \
  LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0), \
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), LOAD(nr)
#define CALL(name) IF_EQUAL(__NR_##name, 1), ALLOW
// A call that fails with its own error.
#define FAIL(name, number) IF_EQUAL(__NR_##name, 1), ANSWER(number)
// Allowed only with this value of an argument; only its low half (the first four bytes), which the kernel reads, is
// compared.
#define CALL_WITH(name, index, value) \
  IF_EQUAL(__NR_##name, 4), LOAD(args[index]), IF_EQUAL(value, 1), ALLOW, REFUSE
// Allowed only with one of two values.
#define CALL_WITH_EITHER(name, index, first, second) \
  IF_EQUAL(__NR_##name, 6), LOAD(args[index]), IF_EQUAL(first, 1), ALLOW, IF_EQUAL(second, 1), ALLOW, REFUSE
// Allowed only without any of these flags.
#define CALL_WITHOUT(name, index, flags) \
  IF_EQUAL(__NR_##name, 4), LOAD(args[index]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1), REFUSE, ALLOW
// Allowed only with this flag.
#define CALL_WITH_FLAG(name, index, flag) \
  IF_EQUAL(__NR_##name, 4), LOAD(args[index]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1), ALLOW, REFUSE

#endif

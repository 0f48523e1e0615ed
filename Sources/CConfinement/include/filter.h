// The words of which a process that gives up its rights makes its list of system calls: a seccomp filter. What is not
// listed is refused. Invariant: each word is whole by itself, so a list reads in any order.

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
// If the call (or the loaded value) is this one, the next instruction, otherwise those behind the next `skipped`.
#define IF_EQUAL(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped)
// What a list begins with: calls of another architecture end the process; then the call's number is loaded.
#define OWN_CALLS \
  LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0), \
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), LOAD(nr)
#define CALL(name) IF_EQUAL(__NR_##name, 1), ALLOW
// A call that answers an error of its own.
#define FAIL(name, number) IF_EQUAL(__NR_##name, 1), ANSWER(number)
// Only with this value of an argument, of which the kernel reads the low half (the first four bytes).
#define CALL_WITH(name, index, value) \
  IF_EQUAL(__NR_##name, 4), LOAD(args[index]), IF_EQUAL(value, 1), ALLOW, REFUSE
// Only with one of two values.
#define CALL_WITH_EITHER(name, index, first, second) \
  IF_EQUAL(__NR_##name, 6), LOAD(args[index]), IF_EQUAL(first, 1), ALLOW, IF_EQUAL(second, 1), ALLOW, REFUSE
// Only without any of these flags.
#define CALL_WITHOUT(name, index, flags) \
  IF_EQUAL(__NR_##name, 4), LOAD(args[index]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1), REFUSE, ALLOW
// Only with this flag.
#define CALL_WITH_FLAG(name, index, flag) \
  IF_EQUAL(__NR_##name, 4), LOAD(args[index]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1), ALLOW, REFUSE

#endif

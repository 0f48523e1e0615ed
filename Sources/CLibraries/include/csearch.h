// A function of Debian's C library that string.h declares only with _GNU_SOURCE: searching bytes in bytes.
#pragma once
#include <stddef.h>

void *memmem(const void *bytes, size_t count, const void *piece, size_t length);

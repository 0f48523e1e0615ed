// What Debian's C library has and its string.h shows only to who defines _GNU_SOURCE: looking for bytes in bytes.
#pragma once
#include <stddef.h>

void *memmem(const void *bytes, size_t count, const void *piece, size_t length);

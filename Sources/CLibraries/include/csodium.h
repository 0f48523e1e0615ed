// libsodium as a module: Argon2id, guarded memory, BLAKE2b, random bytes.
#pragma once
#include <sodium.h>

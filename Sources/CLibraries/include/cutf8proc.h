// utf8proc as a module: Unicode normal forms in memory that the caller owns, so that a password never leaves its own.
#pragma once
#include <utf8proc.h>

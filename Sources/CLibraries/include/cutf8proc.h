// utf8proc as a module: Unicode normal forms in the caller's memory, so that a password is never copied elsewhere.
#pragma once
#include <utf8proc.h>

// libzstd as a module.
#pragma once
#include <zstd.h>

// libcmark-gfm and its tables as a module.
#pragma once
#include <cmark-gfm.h>
#include <cmark-gfm-core-extensions.h>

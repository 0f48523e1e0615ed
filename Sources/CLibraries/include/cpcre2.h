// PCRE2 as a module: regular expressions over UTF-8.
#pragma once
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

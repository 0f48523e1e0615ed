// The functions are libzstd's own.
#include "czstd.h"

// Nothing of its own: the target is the header.
#include "csearch.h"

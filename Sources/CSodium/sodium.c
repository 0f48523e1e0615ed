// Nothing of its own: the target is the header and the library that it links.
#include "csodium.h"

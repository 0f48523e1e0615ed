// Nothing of its own: the target is the header and the library that it links.
#include "cutf8proc.h"

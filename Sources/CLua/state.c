#include "clua.h"

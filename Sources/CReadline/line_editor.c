#include "creadline.h"

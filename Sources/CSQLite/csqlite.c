// The functions are SQLite's own; only their declarations are ours.
#include "csqlite.h"

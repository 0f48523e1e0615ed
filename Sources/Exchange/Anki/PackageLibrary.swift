// Whether packages can be read and written here.
// Invariant: asking costs nothing until the first package.

import CZip

/// Whether libzip is installed, without which no package is read or written.
var canReadPackages: Bool { deckhand_zip() != nil }

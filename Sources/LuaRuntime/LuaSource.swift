// The code in a file of Lua. Invariant: whichever part of the program reads such a file, it reads it as lua(1) does.

import Text

/// Returns the code in the text of a file: without a byte order mark, and without a first line that begins with `#`,
/// which is for the system. The numbers of the lines stay the same.
///
///     try state.load(luaCode(ofFile: bytes), name: "make_deck.lua")
public func luaCode(ofFile text: [UInt8]) -> ArraySlice<UInt8> {
  let code = text.withoutMark
  return code.first == UInt8(ascii: "#") ? code.drop { $0 != UInt8(ascii: "\n") } : code
}

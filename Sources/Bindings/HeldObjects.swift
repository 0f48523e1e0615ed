// Objects of Lua that stand for a part of another object or for a value.
// Invariant: there is at most one at a time for the same thing, so it is the same userdata in Lua.

/// Returns the object if it is still held; otherwise makes it and stores it in its weak place.
func held<Object: AnyObject>(_ place: inout AnyObject?, _ make: () -> Object) -> Object {
  if let object = place as? Object { return object }
  let made = make()
  place = made
  return made
}

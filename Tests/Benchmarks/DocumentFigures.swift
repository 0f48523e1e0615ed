// Card documents: drawing one compared with rsvg-convert, creating a thousand compared with plain writes with fsync.

import BenchmarkReferences
import Glibc

enum DocumentFigures {
  static func all() -> [Figure?] { [render(Asked.folder + "/render"), creation(Asked.folder + "/create")] }

  /// Draws a document with texts and a picture, 1300 wide; the reference draws our own SVG of it.
  private static func render(_ folder: String) -> Figure? {
    mkdir(folder, 0o700)
    let picture = folder + "/picture.svg"
    let title = "a document drawn to PNG against rsvg-convert"
    guard isAsked(title) else { return nil }
    let svg = """
      <svg xmlns='http://www.w3.org/2000/svg' width='1000' height='800'><defs><linearGradient id='g'><stop stop-color='#c33'/>
      <stop offset='1' stop-color='#36c'/></linearGradient></defs><rect width='1000' height='800' fill='url(#g)'/></svg>
      """

    let code = """
      local d = assert(documents.create{background = {1, 1, 0.7}})
      assert(d:add_image("\(picture)", {frame = "circle", y = -300}))
      for i = 1, 5 do assert(d:add_text{text = "line " .. i, y = 100 + i * 150, height = 150, rotation = i}) end
      assert(d:render("\(folder)/ours.svg"))
      io.open("\(folder)/id", "w"):write(d.id):close()
      """
    let data = ["--data", folder + "/data", "--no-plugins"]
    guard write(svg, to: picture), seconds(ofRunning: deckhand, data + ["-e", code]) >= 0,
      let id = text(of: folder + "/id")
    else {
      failed(title)
      return nil
    }
    let reference = [folder + "/ours.svg", "-w", "1300", "-o", folder + "/theirs.png"]
    // Both spend two thirds of the time in the same libpng and zlib, through cairo; the start of a second process,
    // which has no rights, is the rest.
    return compare(
      title, wanted: 1.1, rounds: 11, scale: 1e3, unit: "ms",
      ours: { seconds(ofRunning: deckhand, data + ["doc", "render", id, folder + "/ours.png"]) },
      reference: { seconds(ofRunning: "rsvg-convert", reference) })
  }

  /// Creates a thousand documents in one script, from the program's start to its exit.
  private static func creation(_ folder: String) -> Figure? {
    let title = "1,000 documents against the same bytes with fsync in C"
    guard isAsked(title) else { return nil }
    mkdir(folder, 0o700)
    let data = ["--data", folder + "/data", "--no-plugins"]
    let count = sized(1000)
    let code =
      "for i = 1, \(count) do assert(documents.create{background = {1, 1, 0.7}}):add_text{text = 'word ' .. i} end"
    let sample =
      "local f = io.open('\(folder)/sample', 'w') for _ = 1, 12 do f:write(('x'):rep(40), '\\n') end f:close()"
    guard seconds(ofRunning: deckhand, data + ["-e", sample]) >= 0, let bytes = text(of: folder + "/sample") else {
      failed(title)
      return nil
    }
    return compare(title, wanted: 1.5, rounds: 5, scale: 1e3, unit: "ms") {
      seconds(ofRunning: deckhand, data + ["-e", code])
    } reference: {
      _ = seconds(ofRunning: "rm", ["-rf", folder + "/plain"])
      mkdir(folder + "/plain", 0o700)
      return bytes.withCString { reference_write_files(folder + "/plain", count, $0, strlen($0)) }
    }
  }

  private static func text(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&buffer, 1, buffer.count, file)
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }

  private static func write(_ text: String, to path: String) -> Bool {
    guard let file = fopen(path, "w") else { return false }
    defer { fclose(file) }
    return fputs(text, file) >= 0
  }
}

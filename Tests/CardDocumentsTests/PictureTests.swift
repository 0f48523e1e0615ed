// Tests of importing pictures: every format, orientation, metadata, decompression bombs, damage, and a drawing program
// that dies or hangs.

import Files
import Glibc
import Problems
import TestSupport
import Wire

@testable import CardDocuments

/// Returns a picture's pixels, by drawing it alone on a scene of its size.
func pixels(of png: [UInt8], width: Int, height: Int, with drawing: DrawingProgram) throws -> [UInt8] {
  let scene = Scene(
    width: Double(width), height: Double(height), background: SceneColor(red: 1, green: 1, blue: 1, alpha: 1),
    title: "", summary: "", pictures: [png],
    items: [
      SceneItem(
        placement: Placement(
          x: Double(width) / 2, y: Double(height) / 2, width: Double(width), height: Double(height), degrees: 0),
        content: .picture(index: 0, clip: []))
    ])
  return try drawing.draw(scene) { .pixels($0, width: width, height: height) }.bytes
}

private func isBlue(_ rgba: [UInt8], _ x: Int, _ y: Int, width: Int) -> Bool {
  let at = (y * width + x) * 4
  return rgba[at + 2] > 150 && rgba[at] < 100
}

private func big(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
}

/// Returns a PNG chunk with its checksum.
private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
  let body = Array(name.utf8) + content
  var crc: UInt32 = .max
  for byte in body {
    crc ^= UInt32(byte)
    for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
  }
  return big(content.count, 4) + body + big(Int(~crc), 4)
}

private let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

private func pngHeader(_ width: Int, _ height: Int) -> [UInt8] {
  pngSignature + chunk("IHDR", big(width, 4) + big(height, 4) + [8, 6, 0, 0, 0])
}

private func chunkNames(_ png: [UInt8]) -> [String] {
  var names: [String] = []
  var at = 8
  while at + 8 <= png.count {
    let length = png[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    names.append(text(Array(png[at + 4..<at + 8])))
    at += length + 12
  }
  return names
}

/// Returns the JPEG with an EXIF orientation inserted at the front.
private func oriented(_ jpeg: [UInt8], _ orientation: Int) -> [UInt8] {
  let entry = big(0x0112, 2) + big(3, 2) + big(1, 4) + big(orientation, 2) + big(0, 2)
  let tiff = Array("MM".utf8) + big(42, 2) + big(8, 4) + big(1, 2) + entry + big(0, 4)
  let body = Array("Exif\0\0".utf8) + tiff
  return Array(jpeg.prefix(2)) + [0xFF, 0xE1] + big(body.count + 2, 2) + body + jpeg.dropFirst(2)
}

private func failure(_ drawing: DrawingProgram, _ bytes: [UInt8]) -> PictureFailure? {
  do {
    _ = try drawing.picture(from: bytes, longSide: 1000)
    return nil
  } catch { return error }
}

@Suite struct PictureTests {
  private let drawing = makeDrawing()
  private let folder = TemporaryFolder()

  @Test(arguments: ["png", "jpg", "gif", "webp", "bmp", "tiff", "avif", "heic"])
  func `each kind of picture becomes an upright PNG`(ending: String) throws {
    let picture = try drawing.picture(from: fixture("pictures/quarter.\(ending)"), longSide: 1000)
    #expect(picture.width == 40 && picture.height == 20)
    let rgba = try pixels(of: picture.png, width: 40, height: 20, with: drawing)
    #expect(isBlue(rgba, 5, 4, width: 40) && !isBlue(rgba, 30, 4, width: 40) && !isBlue(rgba, 5, 15, width: 40))
    #expect(Set(chunkNames(picture.png)).isSubset(of: ["IHDR", "IDAT", "IEND", "sBIT"]))
  }

  /// Where the blue quarter appears: EXIF 2.32, tag Orientation.
  @Test(arguments: [
    (1, 40, 5, 5), (2, 40, 35, 5), (3, 40, 35, 15), (4, 40, 5, 15), (5, 20, 5, 5), (6, 20, 15, 5), (7, 20, 15, 35),
    (8, 20, 5, 35),
  ])
  func `orientation is applied and then removed`(orientation: Int, width: Int, x: Int, y: Int) throws {
    let picture = try drawing.picture(from: oriented(fixture("pictures/quarter.jpg"), orientation), longSide: 1000)
    #expect(picture.width == width && picture.height == 60 - width)
    let rgba = try pixels(of: picture.png, width: width, height: 60 - width, with: drawing)
    #expect(isBlue(rgba, x, y, width: width))
    #expect(!isBlue(rgba, width - 1 - x, 60 - width - 1 - y, width: width))
    #expect(!chunkNames(picture.png).contains("eXIf"))
  }

  @Test func `metadata is removed`() throws {
    let png = fixture("pictures/quarter.png")
    let secret = Array(png.prefix(33)) + chunk("tEXt", Array("Comment\0secret".utf8)) + png.dropFirst(33)
    let picture = try makeDrawing().picture(from: secret, longSide: 1000)
    #expect(!text(picture.png).contains("secret") && !chunkNames(picture.png).contains("tEXt"))
  }

  @Test func `what a phone appends to a picture does not count as a part of it`() throws {
    // The film of a motion photo contains any bytes, also those of a marker.
    let motion = fixture("pictures/quarter.jpg") + Array("film".utf8) + [0xFF, 0xDA, 0]
    #expect(try makeDrawing().picture(from: motion, longSide: 1000).width == 40)
  }

  @Test(arguments: [(2000, 400, 1000, 200), (300, 3000, 100, 1000), (1000, 1000, 1000, 1000), (1001, 1, 1000, 1)])
  func `the long side is at most 1000 pixels`(width: Int, height: Int, newWidth: Int, newHeight: Int) throws {
    let picture = try makeDrawing().picture(from: testSVG(width: width, height: height), longSide: 1000)
    #expect(picture.width == newWidth && picture.height == newHeight)
  }

  @Test func `a large picture of each pixel format is scaled`() throws {
    let large = try drawing.picture(from: testSVG(width: 3000, height: 1500), longSide: 3000).png
    let picture = try drawing.picture(from: large, longSide: 1000)
    #expect(picture.width == 1000 && picture.height == 500)
    let rgba = try pixels(of: picture.png, width: 100, height: 50, with: drawing)
    #expect(isBlue(rgba, 10, 10, width: 100) && !isBlue(rgba, 90, 10, width: 100))
  }

  @Test func `a decompression bomb is refused by its declared size, before it is decoded`() throws {
    let png = pngHeader(100_000, 100_000) + chunk("IDAT", [1, 2, 3])
    #expect(failure(drawing, png)?.reason.code == .failure(.tooLarge))
    #expect(failure(drawing, png)?.reason.words.contains("100000 × 100000") == true)
    #expect(failure(drawing, pngHeader(9000, 9000) + chunk("IDAT", [1]))?.reason.code == .failure(.tooLarge))
    var gif = fixture("pictures/quarter.gif")
    gif.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(failure(drawing, gif)?.reason.code == .failure(.tooLarge))
    var jpeg = fixture("pictures/quarter.jpg")
    let frame = try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
    jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFD, 0xE8, 0xFD, 0xE8])
    #expect(failure(drawing, jpeg)?.reason.code == .failure(.tooLarge))
    #expect(failure(drawing, testSVG(width: 100_000, height: 100_000))?.reason.code == .failure(.tooLarge))
    #expect(drawing.process != nil)
  }

  @Test func `a bomb in the store is drawn as the error picture`() throws {
    let store = try makeStore(folder)
    let document = try store.create()
    let element = try document.addImage(testSVG(), named: "x")
    try folder.write(pngHeader(100_000, 100_000), to: "media/" + (element.image?.description ?? ""))
    #expect(try document.rendered(as: .png, width: 100).brokenElements == [element.id])
  }

  @Test func `data that is not a picture, or a broken one, is reported`() throws {
    #expect(failure(drawing, []) == .unknownKind)
    #expect(failure(drawing, Array("hello".utf8)) == .unknownKind)
    let bitmap = Array("BM".utf8) + [UInt8](repeating: 0, count: 100)
    #expect(failure(drawing, bitmap)?.reason.code == .failure(.damagedPicture))
    // Its loader would decode it before it asks for the size.
    var large = fixture("pictures/quarter.heic")
    let size = try #require(large.indices.first { large[$0...].starts(with: Array("ispe".utf8)) }) + 8
    for index in size..<size + 8 { large[index] = 0xFF }
    #expect(failure(drawing, large)?.reason.code == .failure(.tooLarge))
    #expect(failure(drawing, Array("<html><body/></html>".utf8)) == .unknownKind)
    for ending in ["png", "jpg", "webp", "gif", "bmp", "tiff", "avif", "heic"] {
      let half = Array(fixture("pictures/quarter.\(ending)").prefix(40))
      for cut in [half, Array(fixture("pictures/quarter.\(ending)").dropLast(10))] {
        #expect(failure(drawing, cut)?.reason.code == .failure(.damagedPicture), "\(ending) \(cut.count)")
      }
    }
    let empty = failure(drawing, testSVG(width: 0, height: 0))?.reason
    #expect(empty?.code == .failure(.damagedPicture) && empty?.words.hasSuffix("it declares 0 × 0 pixels") == true)
    #expect(failure(drawing, Array("<svg".utf8))?.reason.code == .failure(.damagedPicture))
    #expect(failure(drawing, pngSignature)?.reason.code == .failure(.damagedPicture))
  }

  @Test func `mutated pictures are refused or decoded and the program survives or is replaced`() throws {
    var random = TestGenerator(11)
    for ending in ["png", "jpg", "gif", "webp", "bmp", "tiff", "avif", "heic"] {
      let source = fixture("pictures/quarter.\(ending)")
      for _ in 0..<60 {
        var bytes = source
        for _ in 0..<4 { bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random) }
        do { _ = try drawing.picture(from: bytes, longSide: 100) } catch { #expect(!error.reason.words.isEmpty) }
      }
    }
    #expect(try drawing.picture(from: testSVG(), longSide: 100).width == 40)
  }

  @Test func `drawing reads no other file`() throws {
    try folder.write(fixture("pictures/quarter.png"), to: "blue.png")
    let sources = ["href=\"file://\(folder.path)/blue.png\"", "href=\"\(folder.path)/blue.png\"", "href=\"blue.png\""]
    for source in sources {
      let svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\"><rect width=\"40\" height=\"20\" fill=\"#f00\"/><image \(source) width=\"40\" height=\"20\"/></svg>"
      let picture = try drawing.picture(from: Array(svg.utf8), longSide: 100)
      #expect(!isBlue(try pixels(of: picture.png, width: 40, height: 20, with: drawing), 5, 4, width: 40))
    }
  }

  @Test func `the program gives up its rights and limits itself before it sees a request`() throws {
    _ = try drawing.coverage([CoverageQuery(text: "a", font: "")])
    let process = try #require(drawing.process?.process)
    let status = text(contents(of: "/proc/\(process)/status") ?? [])
    #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"))
    let limits = text(contents(of: "/proc/\(process)/limits") ?? [])
    func soft(_ name: String) -> String {
      let line = limits.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
      return String(line.dropFirst(name.count).split(separator: " ").first ?? "")
    }
    #expect(soft("Max address space") == "1073741824" && soft("Max file size") == "0" && soft("Max open files") == "64")
    #expect(Int(soft("Max cpu time")) != nil)
    let mine = getpgid(0)
    #expect(getpgid(process) == process && process != mine)
  }

  @Test func `one process serves many requests and is replaced when it dies`() throws {
    _ = try drawing.picture(from: testSVG(), longSide: 100)
    let first = try #require(drawing.process?.process)
    _ = try drawing.picture(from: testSVG(), longSide: 100)
    #expect(drawing.process?.process == first)
    kill(first, SIGKILL)
    // It is dead, but not reaped.
    #expect(waits { text(contents(of: "/proc/\(first)/stat") ?? []).contains(") Z ") })
    #expect(try drawing.picture(from: testSVG(), longSide: 100).width == 40)
    #expect(drawing.process?.process != first)
  }

  @Test func `without the drawing program pictures fail, and the message says where it was looked for`() throws {
    let drawing = makeDrawing(path: "/nonexistent/deckhand-draw")
    #expect(failure(drawing, testSVG())?.reason.code == .failure(.noDrawing))
    let store = try makeStore(folder, drawing: drawing)
    let document = try store.create()
    _ = try document.addText("still works")
    #expect(throws: DocumentError.self) { try document.addImage(testSVG(), named: "x") }
    do {
      try document.render(to: folder.path + "/x.png")
      Issue.record("it was drawn")
    } catch let error as DocumentError {
      #expect(
        error.message
          == "drawing pictures needs deckhand-draw, which is not at /nonexistent/deckhand-draw; put it beside deckhand")
    }
    #expect(folder.read("x.png") == nil)
    #expect(try makeStore(folder, seed: 77).open(document.id).elements.count == 1)
  }

  private func script(_ body: String, in folder: TemporaryFolder) throws -> String {
    try folder.write(Array(body.utf8), to: "draw")
    chmod(folder.path + "/draw", 0o700)
    return folder.path + "/draw"
  }

  @Test func `a drawing process that hangs is abandoned in time`() throws {
    let drawing = makeDrawing(path: try script("#!/bin/sh\nexec sleep 100000\n", in: folder))
    drawing.deadline = 0.2
    #expect(failure(drawing, testSVG()) == .crashed)
    #expect(throws: ProgramFailure.timedOut(seconds: 0.2)) { try drawing.coverage([]) }
  }

  @Test func `a user who interrupts waits no longer`() throws {
    var stop = false
    let drawing = DrawingProgram(
      path: try script("#!/bin/sh\nexec sleep 60\n", in: folder), environment: [], clock: monotonicSeconds,
      shouldStop: { stop })
    stop = true
    #expect(throws: ProgramFailure.interrupted) { try drawing.coverage([]) }
  }

  @Test(arguments: [
    "exit 0", "head -c 1000000 /dev/zero | tr '\\\\0' '\\\\377'", "printf '\\\\001\\\\000\\\\000\\\\000x'",
  ])
  func `a drawing process that answers nonsense counts as dead`(body: String) throws {
    #expect(failure(makeDrawing(path: try script("#!/bin/sh\n\(body)\n", in: folder)), testSVG()) == .crashed)
  }

  /// Writes a wrapper that forwards to the real program. It dies on a picture that contains KILLME, and from the second
  /// time on also on one that contains LATER.
  private func mortal(in folder: TemporaryFolder) throws -> String {
    try script(
      """
      #!/usr/bin/perl
      use IPC::Open2; binmode STDIN; binmode STDOUT;
      sub take { my ($f, $n) = @_; my $b = ''; while (length($b) < $n) { sysread($f, $b, $n - length($b), length($b)) or exit } $b }
      open2(my $out, my $in, '\(builtProgram("deckhand-draw"))'); binmode $in; binmode $out;
      while (1) { my $h = take(STDIN, 4); my $b = take(STDIN, unpack('V', $h)); kill 9, $$ if $b =~ /KILLME/;
        if ($b =~ /LATER/) { open(my $l, '>>', '\(folder.path)/later'); print $l 'x'; close $l; my $n = -s '\(folder.path)/later'; kill 9, $$ if $n > 1 }
        for ($h, $b) { my $o = 0; while ($o < length) { $o += syswrite($in, $_, length() - $o, $o) } }
        my $g = take($out, 4); my $a = take($out, unpack('V', $g));
        for ($g, $a) { my $o = 0; while ($o < length) { $o += syswrite(STDOUT, $_, length() - $o, $o) } } }
      """, in: folder)
  }

  @Test func `a picture that crashes the drawing process fails alone`() throws {
    let store = try makeStore(folder, drawing: makeDrawing(path: mortal(in: folder)))
    let document = try store.create()
    let good = try document.addImage(testSVG(), named: "x", at: ElementPlacement(y: -500))
    let bad = try document.addImage(testSVG(width: 50), named: "x", at: ElementPlacement(y: 500))
    let other = try document.duplicate()
    try folder.write(pngSignature + Array("KILLME".utf8), to: "media/" + (bad.image?.description ?? ""))
    #expect(throws: DocumentError.picture(file: "k", .crashed)) {
      try document.addImage(Array("KILLME".utf8), named: "k")
    }
    #expect(try document.rendered(as: .png, width: 130).brokenElements == [bad.id])
    #expect(try isBlue(document.pixels(width: 130, height: 200).rgba, 40, 40, width: 130), "the good picture is drawn")
    #expect(good.id != bad.id)
    try store.sheet([document, other, document], to: folder.path + "/sheet.pdf")
    #expect(text(folder.read("sheet.pdf") ?? []).hasPrefix("%PDF"))
  }

  @Test func `pictures of one document that crash a sheet one after the other are all left out`() throws {
    let store = try makeStore(folder, drawing: makeDrawing(path: mortal(in: folder)))
    let document = try store.create()
    for (width, word) in [(40, "KILLME"), (50, "LATER")] {
      let image = try document.addImage(testSVG(width: width), named: "x").image
      try folder.write(pngSignature + Array(word.utf8), to: "media/" + (image?.description ?? ""))
    }
    try store.sheet([document, store.create()], to: folder.path + "/sheet.pdf")
    #expect(text(folder.read("sheet.pdf") ?? []).hasPrefix("%PDF"))
  }

  @Test func `the drawing process limits each request also below a lower limit of the system`() throws {
    let path = try script("#!/bin/sh\nulimit -t 1000\nexec '\(builtProgram("deckhand-draw"))'\n", in: folder)
    let drawing = makeDrawing(path: path)
    _ = try drawing.coverage([])
    let process = try #require(drawing.process?.process)
    let limits = text(contents(of: "/proc/\(process)/limits") ?? [])
    let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max cpu time") })
    let words = line.split(separator: " ")
    #expect(words[3] != "1000" && words[4] == "1000", "\(line)")
  }
}

// How a web page embeds the media files of its cards, by their names.

import Testing

@testable import Exchange

@Suite struct PageMediaTests {
  @Test(
    arguments: [
      ("a.png", "image/png"), ("a.JPG", "image/jpeg"), ("a.jpeg", "image/jpeg"), ("a.gif", "image/gif"),
      ("a.webp", "image/webp"), ("a.avif", "image/avif"), ("a.bmp", "image/bmp"), ("a.svg", "image/svg+xml"),
    ])
  func `a picture has the media type that browsers know`(_ name: String, _ type: String) {
    guard case .picture(type)? = PageMediaKind(ofName: name) else {
      Issue.record("\(name)")
      return
    }
  }

  @Test(
    arguments: [
      ("a.mp3", "audio/mpeg"), ("a.ogg", "audio/ogg"), ("a.oga", "audio/ogg"), ("a.opus", "audio/ogg"),
      ("a.wav", "audio/wav"), ("a.flac", "audio/flac"), ("a.m4a", "audio/mp4"), ("a.aac", "audio/mp4"),
      ("a.webm", "audio/webm"),
    ])
  func `a sound has the media type that browsers know`(_ name: String, _ type: String) {
    guard case .sound(type)? = PageMediaKind(ofName: name) else {
      Issue.record("\(name)")
      return
    }
  }
}

// A single picture as pixels, for display on a screen. Invariant: it is decoded outside this process, and its aspect
// ratio is preserved.

public import Wire

extension DrawingProgram {
  /// Draws a picture on white, as large as fits into the given size in pixels.
  public func pixels(of picture: Picture, width: Int, height: Int) throws(PictureFailure) -> PixelDrawing {
    let scale = min(
      Double(max(1, min(width, 4000))) / Double(max(1, picture.width)),
      Double(max(1, min(height, 4000))) / Double(max(1, picture.height)))
    let wide = max(1, Int(Double(picture.width) * scale))
    let high = max(1, Int(Double(picture.height) * scale))
    let box = Placement(x: Double(wide) / 2, y: Double(high) / 2, width: Double(wide), height: Double(high), degrees: 0)
    let scene = Scene(
      width: Double(wide), height: Double(high), background: SceneColor(red: 1, green: 1, blue: 1, alpha: 1), title: "",
      summary: "", pictures: [picture.png], items: [SceneItem(placement: box, content: .picture(index: 0, clip: []))])
    let answer: DrawAnswer
    do { answer = try ask(.pixels(scene, width: wide, height: high)) } catch { throw .drawing(error) }
    guard case .drawing(let rgba, let broken) = answer, broken.isEmpty, rgba.count == wide * high * 4 else {
      throw .crashed
    }
    return PixelDrawing(width: wide, height: high, rgba: rgba)
  }

  /// Draws items over a picture, in its pixels, as PNG; as SVG without the picture, to lie over it.
  public func drawing(
    of items: [SceneItem], over picture: Picture, asSVG isAlone: Bool = false
  ) throws(PictureFailure) -> [UInt8] {
    let box = SceneBox(0, 0, Double(picture.width), Double(picture.height))
    let whole = [SceneItem(placement: box.placement, content: .picture(index: 0, clip: []))]
    var scene = Scene(
      width: box.width, height: box.height, background: .gray(1), title: "", summary: "",
      pictures: [picture.png], items: (isAlone ? [] : whole) + items)
    if isAlone { scene.background.alpha = 0 }
    do {
      let drawn = try drawOnce(.render(scene, isAlone ? .svg : .png, width: picture.width))
      if drawn.broken.isEmpty { return drawn.bytes }
    } catch { throw .drawing(error) }
    throw .crashed
  }
}

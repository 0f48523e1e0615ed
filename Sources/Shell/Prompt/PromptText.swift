// The text of the prompt, returned by the Lua function `shell.prompt`, which a user may replace. Invariant: there is
// always a prompt; a function that fails, or does not return a line of text, is reported once and replaced by the
// default prompt.

import Authentication
import Bindings
import Decks
import LuaRuntime
import Text
import Workspace

struct PromptText {
  let session: Session
  private static let longest = 200

  init(_ session: Session) { self.session = session }

  /// - Parameter game: the game being played, if any.
  func text(game: String? = nil) -> String {
    let state = state(game: game)
    // Before a sign-in nothing of Lua is accessible.
    guard state.isSignedIn, !session.scripting.isPromptBad else { return state.text }
    do {
      let function = try session.lua.load("return deckhand.shell.prompt(...)", name: "shell.prompt")
      let answer = try Interrupts.holding { try function.call([state.value]) }
      if case .bytes(let bytes) = answer, let text = String(validating: bytes, as: UTF8.self), isLine(text) {
        return text
      }
      reportBadPrompt("shell.prompt must return a line of text with at most \(Self.longest) characters")
    } catch {
      if Interrupts.endingSignal != nil { return state.text }
      Interrupts.clear()
      reportBadPrompt("shell.prompt: " + ((error as? LuaError)?.description ?? "\(error)"))
    }
    return state.text
  }

  private func isLine(_ text: String) -> Bool {
    !text.isEmpty && text.unicodeScalars.count <= Self.longest
      && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  private func reportBadPrompt(_ reason: String) {
    session.scripting.isPromptBad = true
    session.console.note("note: \(printable(reason, limit: 500)); the default prompt is used until it is set again")
  }

  private func state(game: String?) -> PromptState {
    var state = PromptState(user: session.auth.user, isSignedIn: !session.auth.needsAuthentication)
    state.game = game
    do {
      state.deck = state.isSignedIn && game == nil ? try session.state.usedDeck?.record().name : nil
    } catch {
      // The deck was removed.
      session.state.usedDeck = nil
    }
    return state
  }
}

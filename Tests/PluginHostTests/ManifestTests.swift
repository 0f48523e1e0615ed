// What `plugin.json` may contain, and how faulty ones are reported; versions.

import Bindings
import Problems
import Testing
import Values

@testable import PluginHost

@Suite struct ManifestTests {
  private func manifest(_ json: String) throws -> Manifest { try Manifest(Array(json.utf8), folder: "mine") }

  @Test func `a complete manifest is read, and unknown keys are ignored`() throws {
    let read = try manifest(
      """
      {"name": "mine", "version": "1.2.3", "api": 1, "summary": "S.", "author": "A", "load": "startup",
       "permissions": ["decks.read", "files.read:~/x", "files.write:/tmp/y"], "commands": ["a-b"], "modes": ["m"],
       "events": ["word_found"], "x-mine": {"deep": [1, 2]},
       "permisions": ["words"]}
      """)
    #expect(
      read.remarks == [
        #"plugin.json: "permisions" is not a known key (did you mean "permissions"?); it is ignored"#
      ])
    #expect(read.permissions == [.module("decks.read"), .read(path: "~/x"), .write(path: "/tmp/y")])
    #expect(read.loadsAtStart && read.commands == ["a-b"] && read.modes == ["m"] && read.events == [.wordFound])
  }

  @Test func `a manifest for a newer API is known by name, and nothing more of it is read`() throws {
    let read = try manifest(#"{"name": "mine", "version": "9.0", "api": 2, "permissions": ["telepathy"], "modes": 7}"#)
    #expect(read.isNewer && read.version == "9.0" && read.permissions.isEmpty)
  }

  @Test(arguments: [
    (#"{"name": "mine", "api": 1"#, "line 1"),
    ("[]", "an object expected"),
    (#"{"api": 1}"#, "\"name\": a name of lowercase letters"),
    (#"{"name": "other", "api": 1}"#, "\"name\": \"mine\", the name of its folder,"),
    (#"{"name": "mine"}"#, "\"api\": a whole number from 1 expected, it is missing"),
    (#"{"name": "mine", "api": 0}"#, "\"api\": a whole number from 1"),
    (#"{"name": "mine", "api": 1.5}"#, "\"api\": a whole number from 1"),
    (#"{"name": "mine", "api": 1, "version": "new"}"#, "\"version\": a version such as"),
    (#"{"name": "mine", "api": 1, "summary": 3}"#, "\"summary\": text expected"),
    (#"{"name": "mine", "api": 1, "load": "later"}"#, "\"load\": \"startup\" or \"use\""),
    (#"{"name": "mine", "api": 1, "permissions": "decks.read"}"#, "\"permissions\": a list of texts"),
    (#"{"name": "mine", "api": 1, "permissions": ["decks.raed"]}"#, "(did you mean \"decks.read\"?)"),
    (#"{"name": "mine", "api": 1, "permissions": ["files.read:here"]}"#, "\"files.read:here\" is not a permission"),
    (#"{"name": "mine", "api": 1, "permissions": ["files.read:/x\n  - nothing"]}"#, "files.read:/x\\n  - nothing"),
    (#"{"name": "mine", "api": 1, "permissions": ["files.write:/x\u200B"]}"#, "files.write:/x\\u{200B}"),
    (#"{"name": "mine", "api": 1, "permissions": ["settings.write:serve"]}"#, "write:serve\" is not a permission"),
    (#"{"name": "mine", "api": 1, "permissions": ["settings.write:sync.at_end"]}"#, "at_end\" is not a permission"),
    (#"{"name": "mine", "api": 1, "permissions": ["settings.write:"]}"#, "\"settings.write:\" is not a permission"),
    (#"{"name": "mine", "api": 1, "permissions": ["settings.write:A b"]}"#, "write:A b\" is not a permission"),
    (#"{"name": "mine", "api": 1, "permissions": ["settings.write:auth"]}"#, "permission: no plugin may change auth"),
    (#"{"name": "mine", "api": 1, "commands": ["A B"]}"#, "\"commands\": names of lowercase letters"),
    (#"{"name": "mine", "api": 1, "events": ["card_answerd"]}"#, "(did you mean \"card_answered\"?)"),
  ])
  func `a faulty manifest is reported with the key and what is expected there`(json: String, words: String) {
    let error = #expect(throws: PluginError.self) { try manifest(json) }
    #expect(error?.message.hasPrefix("mine: plugin.json: ") == true)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    ("1.1.9", "1.2"), ("1.9", "1.10.3"), ("1.0.0-beta", "1"), ("1.0.0-a", "1.0.0-b"), ("0", "0.0.1"),
  ])
  func `versions are ordered by their numbers`(low: String, high: String) throws {
    let (low, high) = (try #require(Version(low)), try #require(Version(high)))
    #expect(low < high && !(high < low) && low != high)
  }

  @Test(arguments: ["", "x", "1.x", "1..2", "1.2.3.4.5", "-1", "1-", "99999999999999999999"])
  func `what is not a version is refused`(text: String) { #expect(Version(text) == nil) }

  @Test func `read and write access to the same data is one line of the question`() {
    let rights: [Permission] = [.module("decks.read"), .module("decks.write"), .read(path: "~/quiz"), .module("words")]
    #expect(Permission("settings.write:my-plugin.level") == .setting(name: "my-plugin.level"))
    #expect(Permission.inWords(rights) == ["read and change decks", "read files in ~/quiz", "look up words"])
  }
}

// `deckhand completions SHELL`: lines that make a shell ask at Tab; and `deckhand __complete`, which answers with lines
// of `CANDIDATE TAB HELP`. Invariant: it offers what Tab at the prompt offers; it asks for no password and writes
// nothing, and before a sign-in it offers only what needs none.

import Authentication
import Commands
import Files
import PluginHost
import Text

/// A line of the system's shell up to the cursor, as the words after the program's name.
package struct ShellLine {
  /// The words before the one under the cursor.
  package let before: [String]
  /// The part of the word under the cursor that was typed.
  let word: String
  /// The same word as written in the line of bash, with its quoting; nil for shells that quote words themselves.
  private let bash: (raw: String, quote: QuoteState)?

  /// Parses `__complete -- WORD...`, where the last word is the one under the cursor, or `__complete --bash LINE`,
  /// where the line ends at the cursor; nil for other words.
  package init?(asked words: [String]) {
    guard words.first == "__complete", words.count > 1 else { return nil }
    switch words[1] {
    case "--":
      before = Array(words.dropFirst(2).dropLast())
      word = words.count > 2 ? words[words.count - 1] : ""
      bash = nil
    case "--bash" where words.count == 3:
      let partial = ShellWords.partial(words[2])
      (before, word) = (Array(partial.words.dropFirst()), partial.word)
      bash = (String(decoding: words[2].utf8.dropFirst(partial.start), as: UTF8.self), partial.quote)
    default: return nil
    }
  }

  /// The text that the shell inserts in place of the word; nil when it cannot be inserted or shown as it is.
  func replacement(_ offer: Offer) -> String? {
    guard printable(offer.text, limit: .max) == offer.text else { return nil }
    guard let bash else { return offer.text }
    switch bash.quote {
    case .single: return ShellWords.escape(offer.text, in: .single)
    case .double: return offer.text.escaped(but: { !"\"\\$`".contains($0) })
    case .none: break
    }
    // Bash treats the text after a colon or an equals sign as a word of its own.
    let breaks = bash.raw.lastIndex { $0 == ":" || $0 == "=" }.map { bash.raw[...$0].count { $0 == ":" || $0 == "=" } }
    var left = breaks ?? 0
    let rest = offer.text.drop { character in
      if left == 0 { return false }
      if character == ":" || character == "=" { left -= 1 }
      return true
    }
    // An offer that begins differently from the typed word cannot continue it from the middle.
    guard left == 0 else { return nil }
    let isHome = bash.raw.hasPrefix("~") && breaks == nil
    return String(rest).escaped { $0.isLetter || $0.isNumber || "_-./:@%+,=".contains($0) || isHome && $0 == "~" }
  }
}

extension String {
  fileprivate func escaped(but isPlain: (Character) -> Bool) -> String {
    reduce(into: "") { $0 += isPlain($1) ? String($1) : "\\\($1)" }
  }
}

package struct ShellCompletion {
  let session: Session

  package init(_ session: Session) { self.session = session }

  package func lines(for line: ShellLine) -> [String] {
    var seen: Set<String> = []
    return offers(line).compactMap { offer in
      guard let word = line.replacement(offer), !word.isEmpty, seen.insert(word).inserted else { return nil }
      let help = printable(firstSentence(offer.help), limit: 80)
      return help.isEmpty ? word : "\(word)\t\(help)"
    }
  }

  private func offers(_ line: ShellLine) -> [Offer] {
    let words = line.before + [line.word]
    switch session.registry.leadingOffers(of: session.options.program.command, words: words, sources: sources) {
    case .offers(let offers): return offers
    case .command(let words):
      prepare(words)
      let found = session.registry.completions(words: words, sources: sources)
      // A script may come in place of a command.
      return words.count == 1 && found.isEmpty ? sources.paths(words[0], false).map { Offer(path: $0) } : found
    }
  }

  /// Loads the plugin whose command the words name: only its code knows what the command takes.
  private func prepare(_ words: [String]) {
    guard !session.auth.needsAuthentication, session.options.usesPlugins else { return }
    session.plugins.refreshGrants()
    guard words.count > 1 else { return }
    do { try session.plugins.prepareCommand(words) } catch {
      // The command itself reports what is wrong with its plugin.
    }
  }

  /// Opens no user data when none exists yet, because opening would create it.
  private var sources: CompletionSources {
    let hasData = fileExists(session.environment.folders.data + "/local") || session.auth.user != nil
    var sources = NameOffers(session: session).sources
    guard !hasData else { return sources }
    sources.names = { [names = sources.names] kind, word in
      switch kind {
      case .exercise, .format, .language, .mode, .plugin: names(kind, word)
      default: []
      }
    }
    return sources
  }
}

/// A shell for which Deckhand provides completion.
///
///     CompletionStub.bash.text.contains("__complete")   // true
enum CompletionStub: String, CaseIterable {
  case bash, zsh, fish

  var hint: String {
    switch self {
    case .bash: "In ~/.bashrc: source <(deckhand completions bash)"
    case .zsh: "In ~/.zshrc, after compinit: source <(deckhand completions zsh)"
    case .fish: "deckhand completions fish > ~/.config/fish/completions/deckhand.fish"
    }
  }

  var text: String {
    switch self {
    case .bash: Self.bashText
    case .zsh: Self.zshText
    case .fish: Self.fishText
    }
  }

  private static let bashText = #"""
    # Completion of deckhand for bash.
    _deckhand() {
      local word help
      COMPREPLY=()
      while IFS=$'\t' read -r word help; do
        COMPREPLY+=("$word")
      done < <("${COMP_WORDS[0]}" __complete --bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
      # More of the same word may follow.
      [[ ${COMPREPLY-} == *[/:=] ]] && compopt -o nospace
      return 0
    }
    complete -F _deckhand deckhand
    """#

  private static let zshText = #"""
    #compdef deckhand
    # Completion of deckhand for zsh.
    _deckhand() {
      local line
      local -a shown_open shown_done words_open words_done quoting
      [[ $PREFIX == \~* ]] && quoting=(-Q)
      for line in "${(@f)$("${words[1]}" __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        if [[ ${line%%$'\t'*} == *[/:=] ]]; then
          words_open+=("${line%%$'\t'*}") shown_open+=("${line/$'\t'/  -- }")
        else
          words_done+=("${line%%$'\t'*}") shown_done+=("${line/$'\t'/  -- }")
        fi
      done
      compadd -l -M 'm:{a-z}={A-Z}' $quoting -d shown_done -a words_done
      compadd -l -M 'm:{a-z}={A-Z}' $quoting -S '' -d shown_open -a words_open
    }
    if [[ $funcstack[1] == _deckhand ]]; then _deckhand "$@"; else compdef _deckhand deckhand; fi
    """#

  private static let fishText = #"""
    # Completion of deckhand for fish.
    function __deckhand_offers
      deckhand __complete -- (commandline -opc)[2..] (commandline -ct | string unescape) 2>/dev/null
    end
    complete -c deckhand -f -k -a '(__deckhand_offers)'
    """#
}

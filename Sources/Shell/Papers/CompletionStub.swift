// `deckhand completions SHELL`: a few lines that make a shell ask Deckhand for the completions at the cursor.
// Invariant: the lines name no command, option or data of Deckhand; all completions come from `deckhand __complete`.

/// A shell for which Deckhand provides completion.
///
///     CompletionStub.bash.text.contains("__complete")   // true
enum CompletionStub: String, CaseIterable {
  case bash, zsh, fish

  /// How to enable it.
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

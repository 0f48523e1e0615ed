// `word lemma`. Invariant: missing data is reported with the package that provides it, and the forms are answered even
// so.

import Commands
import Language
import Lexicon
import Problems
import Text
import Values
import Workspace

enum LemmaCommand {
  static var lemma: BuiltIn {
    BuiltIn(
      "word", "lemma", summary: "Shows the dictionary forms of words.", answer: "{form, lemma, all}...",
      details: """
        Spanish, Italian, Catalan, Portuguese and French forms come from Debian's Apertium data, English forms from \
        WordNet. Your own table is used first: lemmas/CODE.tsv in the data folder, a form, a tab, its lemma (es.tsv \
        for Spanish). Forms that are in none of these are looked up in dictionaries that list forms, those of Yomitan \
        and StarDict (`word dictionaries add`).
        """, arguments: [Argument("FORM", isRepeating: true, help: "a word as it occurs in a text")],
      options: [Common.language], example: "word lemma casas dámelo --language spanish"
    ) { invocation, session in
      let workspace = try session.workspace()
      let language = try workspace.words.language(named: invocation.optionalText("--language"))
      let lemmatizer = workspace.languages.lemmatizer(of: language)
      try noteMissing(lemmatizer.missing, of: lemmatizer.language, session, command: "word lemma")
      let rows = invocation.list("FORM").map { (form: $0, lemmas: lemmatizer.lemmas(of: $0)) }
      let table = TableText(
        [.init(""), .init(""), .init("")],
        rows: rows.map { row in
          let others = row.lemmas.all.dropFirst().map { printable($0) }.joined(separator: ", ")
          return [printable(row.form), printable(row.lemmas.primary), others.isEmpty ? "" : "or \(others)"]
        })
      return CommandResult(
        .list(
          rows.map {
            .record(["form": $0.form, "lemma": $0.lemmas.primary, "all": $0.lemmas.all])
          }), .table(table))
    }
  }

  /// Prints which lemma data is missing or could not be read.
  static func noteMissing(_ package: String?, of language: Language, _ session: Session, command: String) throws {
    if let package {
      session.console.note(
        "\(command): dictionary forms of \(language.title) need Debian's \(package); without it, words count as written"
      )
    }
    for failure in try session.workspace().languages.failures {
      session.console.note("\(command): \(failure.message)")
    }
  }
}

// `help queries`: what queries can search for among cards. Invariant: every example is a valid query; a test runs each.

enum QueryHelp {
  /// A query, and what it finds.
  static let examples: [(query: String, finds: String)] = [
    ("perro", "the word, or part of a word, in prompt or answer; case and accents are ignored"),
    ("\"el perro\"", "the words next to each other"), ("p*o", "p, anything, then o"),
    ("perro gato", "both"), ("perro or gato", "one of them"), ("-perro", "cards without it"),
    ("(perro or gato) -tag:easy", "parentheses group terms"), ("prompt:p*", "prompts that begin with p"),
    ("answer:dog", "answers with dog in them"), ("tag:animal", "the tag, and those below it: animal::pet"),
    ("tag:anim*", "tags that begin with anim"),
    ("tag:none", "cards without tags"), ("deck:Spanish", "the deck and those within it"),
    ("deck:a::*", "the decks within a"), ("note:basic", "cards of a note type"),
    ("\"front:dog\"", "in quotes: exactly this text"), ("is:due", "due now; also new, learning, review, relearning"),
    ("is:suspended", "also buried, leech"), ("flag:red", "by flag: a colour, or 0 to 7"),
    ("card:1", "the first cards of their notes"), ("nid:1700000000000", "by the id of the note; also cid, mid, did"),
    ("prop:ivl>30", "interval in days; also s, d, r, reps, lapses, due with <, <=, =, !=, >=, >"),
    ("prop:r<0.8", "probability of remembering now"), ("prop:due=-1", "due yesterday"),
    ("added:7", "added in the last 7 days, including today"), ("edited:3", "changed in the last 3 days"),
    ("rated:7", "answered in the last 7 days"), ("rated:7:1", "answered `again` in the last 7 days"),
    ("introduced:3", "first answered in the last 3 days"), ("dupe:perro", "with exactly that prompt"),
    ("dupe:", "cards that share their prompt"), ("nc:nandu", "ignoring accents, as plain words always do"),
    ("re:^el\\b", "a regular expression; \"re:a b\" needs quotes"),
  ]
}

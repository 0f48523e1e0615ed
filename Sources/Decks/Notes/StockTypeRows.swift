// The stock note types, which every collection has from the start, as rows that the schema inserts.
// Invariant: they are the types that `StockNoteType` describes.

import Templates

extension DecksSchema {
  /// When the stock types were changed last, in seconds since 1970.
  static let stockTime = 1_600_000_000
  /// The ids of the stock types.
  public static let stockIDs: ClosedRange<Int64> = 1_600_000_000_001...1_600_000_000_005

  /// In the form that `NoteType.json` writes. Their ids are the same everywhere, so that they mean the same type in
  /// every collection.
  static let stockTypes = #"""
    INSERT INTO note_types (id, name, name_key, cloze, mod, json) VALUES
    (1600000000001, 'Basic', 'basic', 0, 1600000000,
      '{"id": 1600000000001, "name": "Basic", "type": 0, "mod": 1600000000, "usn": -1, "sortf": 0, "did": null,
       "flds": [{"name": "Front", "ord": 0, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
       {"name": "Back", "ord": 1, "font": "Arial", "size": 20, "sticky": false, "rtl": false}],
       "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": "{{Front}}",
        "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}"}],
       "css": ".card {\n    font-family: sans-serif;\n    font-size: 20px;\n    line-height: 1.5;\n    text-align: center;\n}\n.cloze {\n    font-weight: bold;\n}\n"}'),
    (1600000000002, 'Basic (and reversed card)', 'basic (and reversed card)', 0, 1600000000,
      '{"id": 1600000000002, "name": "Basic (and reversed card)", "type": 0, "mod": 1600000000, "usn": -1, "sortf": 0, "did": null,
       "flds": [{"name": "Front", "ord": 0, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
       {"name": "Back", "ord": 1, "font": "Arial", "size": 20, "sticky": false, "rtl": false}],
       "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": "{{Front}}",
        "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}"},
       {"name": "Card 2", "ord": 1, "qfmt": "{{Back}}",
        "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Front}}"}],
       "css": ".card {\n    font-family: sans-serif;\n    font-size: 20px;\n    line-height: 1.5;\n    text-align: center;\n}\n.cloze {\n    font-weight: bold;\n}\n"}'),
    (1600000000003, 'Basic (optional reversed card)', 'basic (optional reversed card)', 0, 1600000000,
      '{"id": 1600000000003, "name": "Basic (optional reversed card)", "type": 0, "mod": 1600000000, "usn": -1, "sortf": 0, "did": null,
       "flds": [{"name": "Front", "ord": 0, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
       {"name": "Back", "ord": 1, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
       {"name": "Add Reverse", "ord": 2, "font": "Arial", "size": 20, "sticky": false, "rtl": false}],
       "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": "{{Front}}",
        "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}"},
       {"name": "Card 2", "ord": 1, "qfmt": "{{#Add Reverse}}{{Back}}{{/Add Reverse}}",
        "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Front}}"}],
       "css": ".card {\n    font-family: sans-serif;\n    font-size: 20px;\n    line-height: 1.5;\n    text-align: center;\n}\n.cloze {\n    font-weight: bold;\n}\n"}'),
    (1600000000004, 'Basic (type in the answer)', 'basic (type in the answer)', 0, 1600000000,
      '{"id": 1600000000004, "name": "Basic (type in the answer)", "type": 0, "mod": 1600000000, "usn": -1, "sortf": 0, "did": null,
       "flds": [{"name": "Front", "ord": 0, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
       {"name": "Back", "ord": 1, "font": "Arial", "size": 20, "sticky": false, "rtl": false}],
       "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": "{{Front}}\n\n{{type:Back}}",
        "afmt": "{{Front}}\n\n<hr id=answer>\n\n{{type:Back}}"}],
       "css": ".card {\n    font-family: sans-serif;\n    font-size: 20px;\n    line-height: 1.5;\n    text-align: center;\n}\n.cloze {\n    font-weight: bold;\n}\n"}'),
    (1600000000005, 'Cloze', 'cloze', 1, 1600000000,
      '{"id": 1600000000005, "name": "Cloze", "type": 1, "mod": 1600000000, "usn": -1, "sortf": 0, "did": null,
       "flds": [{"name": "Text", "ord": 0, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
       {"name": "Back Extra", "ord": 1, "font": "Arial", "size": 20, "sticky": false, "rtl": false}],
       "tmpls": [{"name": "Cloze", "ord": 0, "qfmt": "{{cloze:Text}}",
        "afmt": "{{cloze:Text}}<br>\n{{Back Extra}}"}],
       "css": ".card {\n    font-family: sans-serif;\n    font-size: 20px;\n    line-height: 1.5;\n    text-align: center;\n}\n.cloze {\n    font-weight: bold;\n}\n"}');
    UPDATE note_types SET basic = 1 WHERE id = 1600000000001;
    """#
}

-- A collection that a program made whose last step was games.1. Never to be changed.
CREATE TABLE games_saved (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL, saved REAL NOT NULL) STRICT;
CREATE TABLE games_results (id INTEGER PRIMARY KEY AUTOINCREMENT, result TEXT NOT NULL, finished REAL NOT NULL) STRICT;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES ('games.1');
INSERT INTO games_saved VALUES (1, '{"version": 1, "mode": "classic", "language": "english", "lexicon": "english", "folds_accents": false, "base_word": "cambering", "rules": ["min_length:2", "unused", "from_letters", "in_dictionary"], "found": [{"word": "grace", "points": 5, "player": 0}, {"word": "ring", "points": 4, "player": 0}], "bonus": 0, "hint_costs": 2, "current_player": 0, "passes": 0, "accepted_on_base": 2, "has_given_up": false, "level": "normal", "elapsed": 12.5, "data": "{\"n\": 3}"}', 1700000000.0);
INSERT INTO games_results (result, finished) VALUES ('{"mode": "classic", "language": "english", "base_word": "cambering", "count": 1, "score": 3, "average": 3.0, "longest": "cab", "scores": [3], "elapsed": 4.0, "finished_at": 1700000000.0}', 1700000000.0);

;; anki-editor: a file of Org is pushed, changed and pushed again, by its own command.
(setq backtrace-on-error-noninteractive nil)
(require 'cl-lib)
(add-to-list 'load-path (getenv "CLIENT"))
;; Emacs 28, Debian 12's, asks for the separator that later ones leave out.
(advice-add 'mapconcat :around (lambda (call function list &optional separator) (funcall call function list (or separator ""))))
(require 'org)
(require 'org-attach)
(require 'anki-editor)
(string-match "http://\\([^:]+\\):\\([0-9]+\\)" (getenv "DECKHAND_URL"))
(setq anki-editor-api-host (match-string 1 (getenv "DECKHAND_URL"))
      anki-editor-api-port (match-string 2 (getenv "DECKHAND_URL"))
      org-export-with-latex nil
      make-backup-files nil)
(cl-assert (member "Basic" (anki-editor-note-types)))
(anki-editor-api-call-result 'createDeck :deck "Org")
(find-file (concat (getenv "CLIENT_DATA") "/notes.org"))
(insert "* perro :animal:
:PROPERTIES:
:ANKI_DECK: Org
:ANKI_NOTE_TYPE: Basic
:END:
** Front
el perro
** Back
the /dog/
* gato
:PROPERTIES:
:ANKI_DECK: Org
:ANKI_NOTE_TYPE: Basic
:END:
** Front
el gato
** Back
the cat
")
(org-mode)
(anki-editor-mode 1)
(save-buffer)
(anki-editor-push-notes 'file)
(goto-char (point-min))
(let ((id (org-entry-get nil "ANKI_NOTE_ID")))
  (cl-assert (and id (string-match-p "^[0-9]+$" id)) t "the first note has no id: %s" (buffer-string))
  (search-forward "the /dog/")
  (insert " again")
  (goto-char (point-min))
  (save-buffer)
  (anki-editor-push-notes 'file)
  (cl-assert (not (string-match-p "ANKI_FAILURE_REASON" (buffer-string))) t "%s" (buffer-string))
  (let ((notes (anki-editor-api-call-result 'notesInfo :notes (list (string-to-number id)))))
    (cl-assert (string-match-p "again" (format "%S" notes)) t "%S" notes)
    (cl-assert (string-match-p "animal" (format "%S" notes)) t "%S" notes)))
(cl-assert (member "animal" (append (anki-editor-all-tags) nil)))
(cl-assert (= 2 (length (anki-editor-api-call-result 'findNotes :query "deck:Org"))))
(message "its command pushes, changes and pushes again")

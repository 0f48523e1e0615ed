"""Imports a table of two columns into a new collection with Anki's own package and writes the seconds it took.

Usage: anki_table.py TABLE SECONDS-FILE. Run by Scripts/bench with the Python that ANKI_PYTHON names.
"""
import os
import sys
import tempfile
import time

from anki.collection import Collection, ImportCsvRequest

table, result = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    collection = Collection(os.path.join(folder, "collection.anki2"))
    start = time.monotonic()
    metadata = collection.get_csv_metadata(table, None)
    report = collection.import_csv(ImportCsvRequest(path=table, metadata=metadata))
    seconds = time.monotonic() - start
    notes = collection.note_count()
    collection.close()
with open(result, "w") as file:
    file.write(f"{seconds} {notes}\n")

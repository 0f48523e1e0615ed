#!/usr/bin/env python3
"""Imports a package into a new collection with Anki's own package, for `Scripts/bench`: anki_import.py FILE"""
import sys
import tempfile

from anki.collection import Collection
from anki.import_export_pb2 import ImportAnkiPackageOptions, ImportAnkiPackageRequest

with tempfile.TemporaryDirectory() as folder:
    col = Collection(folder + "/collection.anki2")
    col.import_anki_package(ImportAnkiPackageRequest(
        package_path=sys.argv[1], options=ImportAnkiPackageOptions(with_scheduling=True)))
    col.close()

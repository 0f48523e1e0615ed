#!/usr/bin/env python3
"""Makes cards from the words of a corpus on a cluster: runs frequency.lua, or another script for `deckhand map`, on Spark.

    python3 Scripts/spark/frequency.py --master local[2] TEXT OUT [ARG...]
    deckhand deck import Words OUT/part-* --format jsonl

The program, the script and each ARG that is a file, such as a word list, are shipped with the job, and so is each --ship FILE.
To count dictionary forms:

    python3 Scripts/spark/frequency.py --script Scripts/decks/lemma_frequency.lua \\
      --ship /usr/share/apertium/apertium-eng-spa/spa-eng.automorf.bin TEXT OUT spanish
"""
import argparse
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from deckhand_spark import SCHEMA, deckhand
from pyspark.sql import SparkSession, functions as F

here = os.path.dirname(os.path.abspath(__file__))
options = argparse.ArgumentParser()
options.add_argument("--master", default="local[2]")
options.add_argument("--program", default=shutil.which("deckhand"))
options.add_argument("--script", default=os.path.join(here, "..", "decks", "frequency.lua"))
options.add_argument("--partitions", type=int, default=8)
options.add_argument("--ship", action="append", default=[], metavar="FILE")
options.add_argument("text")
options.add_argument("out")
options.add_argument("arguments", nargs="*", metavar="ARG")
given = options.parse_args()

spark = SparkSession.builder.master(given.master).appName("frequency").getOrCreate()
spark.addArtifacts(os.path.join(here, "deckhand_spark.py"), pyfile=True)
shipped = [given.program, given.script] + [word for word in given.arguments if os.path.isfile(word)]
for file in shipped + given.ship:
    spark.addArtifacts(os.path.realpath(file), file=True)
script = [os.path.basename(word) if word in shipped else word for word in [given.script] + given.arguments]
spark.conf.set("spark.sql.files.minPartitionNum", given.partitions)
lines = spark.read.text(given.text, lineSep="\n").select(F.col("value").cast("binary").alias("line"))
records = lines.mapInArrow(deckhand(script), SCHEMA)
key = F.element_at(F.split(F.col("line").cast("string"), "\t", 2), 1)
grouped = records.repartition(given.partitions, key).sortWithinPartitions("line")
cards = grouped.mapInArrow(deckhand(["--reduce"] + script), SCHEMA)
cards.select(F.col("line").cast("string")).write.mode("overwrite").text(given.out)
spark.stop()

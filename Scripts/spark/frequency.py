#!/usr/bin/env python3
"""Makes cards from the words of a corpus on a cluster: runs frequency.lua, or another script for `deckhand map`, on Spark.

    python3 -m venv spark && spark/bin/pip install pyspark pyarrow pandas     # and Java 17 or newer
    spark/bin/python Scripts/spark/frequency.py --master local[2] TEXT OUT [ARG...]
    deckhand deck import Words OUT/part-* --format jsonl

The program, the script and each ARG that is a file, such as a word list, are shipped with the job, and so is each --ship FILE.
The workers run the Python that runs this script, unless PYSPARK_PYTHON names another one, as it has to where machines of a
cluster have theirs elsewhere. What goes wrong is one line; --verbose shows Spark's own log. To count dictionary forms:

    spark/bin/python Scripts/spark/frequency.py --script Scripts/decks/lemma_frequency.lua \\
      --ship /usr/share/apertium/apertium-eng-spa/spa-eng.automorf.bin TEXT OUT spanish
"""
import argparse
import os
import re
import shutil
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
terminal = sys.stderr


def fail(reason):
    """Ends the program with a line on standard error."""
    print("frequency.py: " + reason, file=terminal, flush=True)
    # Spark's threads may wait for a program that has ended.
    os._exit(1)


def words(error):
    """The line of an error that says what went wrong; Spark hides it between the traces of Java and of Python."""
    text = str(error)
    if "JAVA_GATEWAY_EXITED" in text:
        return "Java 17 or newer is missing: apt install openjdk-17-jre-headless"
    if "stopped SparkContext" in text:
        return "no cluster answers at " + given.master
    told = re.findall(r"^:? *[\w.$]+(?:Error|Exception): (.+)", text, re.MULTILINE)
    of_worker = [line for line in told if line.startswith("deckhand map ended")]
    return (of_worker or told[-1:] or text.splitlines() or [type(error).__name__])[0]


def run(given):
    from pyspark.sql import SparkSession, functions as F
    from deckhand_spark import SCHEMA, deckhand

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


options = argparse.ArgumentParser(
    description=__doc__.split("\n\n")[0], epilog="The first comment of the file has examples.")
options.add_argument("--master", default="local[2]", help="where it runs: local[CORES] or the address of a cluster")
options.add_argument("--program", default=shutil.which("deckhand"), help="deckhand, from PATH when left out")
options.add_argument("--script", default=os.path.join(here, "..", "decks", "frequency.lua"), help="a script for deckhand map")
options.add_argument("--partitions", type=int, default=8, metavar="N", help="in how many parts the text is cut")
options.add_argument("--ship", action="append", default=[], metavar="FILE", help="a file that the workers need")
options.add_argument("--verbose", action="store_true", help="show Spark's progress and log")
options.add_argument("text")
options.add_argument("out")
options.add_argument("arguments", nargs="*", metavar="ARG")
given = options.parse_args()

if not given.program:
    fail("deckhand is not in PATH; --program FILE names it")
for file in [given.program, given.script] + given.ship:
    if not os.path.isfile(file):
        fail("there is no file " + file)
missing = []
for package in "pyspark", "pyarrow", "pandas":
    try:
        __import__(package)
    except ImportError:
        missing.append(package)
if missing:
    fail("%s has no %s; install with: %s -m pip install pyspark pyarrow pandas" % (
        sys.executable, ", ".join(missing), sys.executable))
# The workers and the driver must be the same Python, with the same packages.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
if not given.verbose:
    # Java and the workers inherit standard error.
    terminal = os.fdopen(os.dup(2), "w")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 2)
try:
    run(given)
except KeyboardInterrupt:
    fail("interrupted; %s is incomplete" % given.out)
except Exception as error:
    if given.verbose:
        raise
    fail(words(error))

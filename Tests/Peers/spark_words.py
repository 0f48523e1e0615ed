"""Counts the words of a text and finds the best sentence of each, with Spark SQL only: spark_words.py TEXT OUT"""
import sys

from pyspark import SparkContext
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.master("local[1]").appName("words").getOrCreate()
lines = spark.read.text(sys.argv[1], lineSep="\n")
words = lines.select(
    F.explode(F.regexp_extract_all(F.lower("value"), F.lit(r"([a-z\x{80}-\x{10ffff}]{2,})"), 1)).alias("word"), "value")
best = F.min(F.struct(F.abs(F.length("value") - 60).alias("score"), "value"))
cards = words.groupBy("word").agg(F.count("*").alias("count"), best.alias("best")).where("count >= 3")
cards.select(F.to_json(F.struct(
    F.col("word").alias("prompt"), F.col("best.value").alias("answer"), "count"))).write.mode("overwrite").text(sys.argv[2])
spark.stop()
# Wait, so that whoever measures this process counts the JVM's time too.
jvm = SparkContext._gateway.proc
jvm.stdin.close()
jvm.wait()

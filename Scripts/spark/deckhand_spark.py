"""Runs `deckhand map` over the partitions of a Spark job, as a function for `mapInArrow`.

Lines are passed as uninterpreted bytes. A worker that fails, or leaves input unread, fails its task, so that Spark runs it
again; a task whose input fails kills its worker, so that a partial result is never taken for the whole.
"""
import os
import subprocess
import threading

import pyarrow as pa

SCHEMA = "line binary"


def deckhand(words):
    """A function for `mapInArrow` that pipes the column `line` through `deckhand map WORDS...`.

    Program, script and word lists are files that the job added with `addArtifacts(file, file=True)`, named here without folders.
    """

    def run(batches):
        from pyspark import SparkFiles
        folder = SparkFiles.getRootDirectory()
        program = os.path.join(folder, "deckhand")
        worker = subprocess.Popen([program, "map", *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        failures, told = [], []

        def feed():
            try:
                for batch in batches:
                    lines = [line.rstrip(b"\n") for line in batch.column(0).to_pylist()]
                    if lines:
                        worker.stdin.write(b"\n".join(lines) + b"\n")
                worker.stdin.close()
            except BaseException as error:
                failures.append(error)
                worker.kill()

        def listen():
            for line in worker.stderr:
                told[:] = told[-20:] + [line.decode("utf-8", "replace").rstrip()]

        threads = [threading.Thread(target=feed, daemon=True), threading.Thread(target=listen, daemon=True)]
        for thread in threads:
            thread.start()
        try:
            lines = []
            for line in worker.stdout:
                lines.append(line.rstrip(b"\n"))
                if len(lines) == 10_000:
                    yield pa.RecordBatch.from_arrays([pa.array(lines, pa.binary())], ["line"])
                    lines = []
            if lines:
                yield pa.RecordBatch.from_arrays([pa.array(lines, pa.binary())], ["line"])
        finally:
            if worker.poll() is None and not worker.stdout.closed:
                worker.stdout.close()
            status = worker.wait()
            for thread in threads:
                thread.join()
        # A worker that died breaks its input pipe; its own messages are more helpful then.
        if failures and not isinstance(failures[0], BrokenPipeError):
            raise failures[0]
        if failures or status != 0:
            raise RuntimeError("deckhand map ended with status %d: %s" % (status, "\n".join(told)))

    return run

"""Puts Anki's package into its test mode, in a time zone where it is about noon. To be imported before `anki`.

In test mode cards are scheduled without randomness, and between two and four o'clock Anki's clock is two hours slow, so that
clocks would differ. All started programs see the same zone. Invariant: the result of a peer does not depend on the hour.
"""
import os
import time

os.environ["ANKI_TEST_MODE"] = "1"
hours = 12 - time.gmtime().tm_hour
os.environ["TZ"] = f"NOON{-hours:+d}"
time.tzset()

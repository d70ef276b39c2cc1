#!/usr/bin/env python3
"""test-times.py [NUMBER] [PROFILE]: what the tests of the last run took, the slowest NUMBER (20) first, and the sums of their files.
nextest's profile (`default`, or `quick`) wrote it. Where a test takes minutes, .config/nextest.toml has it begin early."""
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path

number = int(sys.argv[1]) if len(sys.argv) > 1 else 20
profile = sys.argv[2] if len(sys.argv) > 2 else "default"
root = Path(__file__).resolve().parent.parent
# Of another CARGO_TARGET_DIR nextest takes no notice.
report = root / "target" / "nextest" / profile / "junit.xml"
if not report.is_file():
    sys.exit(f"test-times: there is no {report}; run `make test` before")
suites = xml.parse(report).getroot()
tests = [
    (float(case.get("time", 0)), f"{suite.get('name')} {case.get('name')}")
    for suite in suites.iter("testsuite")
    for case in suite.iter("testcase")
]
files = Counter()
for seconds, name in tests:
    files[name.rsplit("::", 1)[0]] += seconds
total = sum(seconds for seconds, _ in tests)
print(f"{len(tests)} tests took {total:.0f} s one after the other, {float(suites.get('time', 0)):.0f} s beside one another")
for seconds, name in sorted(tests, reverse=True)[:number]:
    print(f"{seconds:8.1f} s  {name}")
print("by file:")
for name, seconds in files.most_common(number):
    print(f"{seconds:8.1f} s  {name}")

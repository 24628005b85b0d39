# SPDX-License-Identifier: Apache-2.0
"""Runs the program ecube and reads what it writes; pandas frames where pandas is installed.

    import ecube
    run = ecube.run("exchange", dim=4, bytes=32, partition="2,2", set={"link.bandwidth": "10 MB/s"})
    run["measured"]["us"], run["predicted"]["us"]
    rows = ecube.sweep("study.toml", output="sweeps/study")
    ecube.frame(rows)                                      # a pandas.DataFrame

The program is `ecube` of PATH, unless the variable ECUBE names another.
"""

import csv
import io
import json
import os
import stat
import subprocess
import tempfile


class EcubeError(RuntimeError):
    """The program has ended with `status`: 1 wrong data, 2 bad input, 3 a stalled machine or a lost message."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def program():
    """The program that is run."""
    return os.environ.get("ECUBE", "ecube")


def command(*words):
    """Runs the program with these words and returns its standard output. EcubeError unless it ends with status 0."""
    done = subprocess.run([program(), *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise EcubeError(done.returncode, reason(done))
    return done.stdout


def reason(done):
    """Why the program has failed: what it says about it, or else its last lines."""
    if done.returncode < 0:
        return f"the program was ended by signal {-done.returncode}"
    last_lines = "\n".join(done.stdout.strip().splitlines()[-10:])
    return done.stderr.strip() or last_lines or f"exit status {done.returncode}, and not a word"


def printed_object(*words):
    """The JSON object that the program prints. EcubeError when it prints something else, as its help."""
    text = command(*words)
    try:
        return json.loads(text)
    except ValueError:
        first = text.strip().split("\n", 1)[0]
        raise EcubeError(2, f"{' '.join(map(str, words))!r} gives no result but a text: {first}") from None


def options(given):
    """Command line options of keyword arguments: dim=4 is --dim 4, contention=True is --contention, and a dictionary
    (set, param) gives its option once for each key."""
    words = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, dict):
            for key, one in value.items():
                words += [option, f"{key}={one}"]
        elif isinstance(value, (list, tuple)):
            words += [option, ",".join(map(str, value))]
        else:
            words += [option, str(value)]
    return words


def run(workload, *arguments, **given):
    """`ecube run WORKLOAD ARGUMENTS --KEY VALUE ..` as a dictionary: the object that --json prints."""
    return printed_object("run", workload, *arguments, *options(given), "--quiet", "--json")


def predict(workload, **given):
    """`ecube predict WORKLOAD` likewise."""
    return printed_object("predict", workload, *options(given), "--json")


def number(text):
    """A field of a CSV file: a whole number, a number, or the text as it is."""
    if "_" in text:  # which Python takes for part of a number
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def rows_of(text):
    """The rows of a CSV text that ecube has written, as dictionaries."""
    return [{key: number(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(text, newline=""))]


def read_csv(path):
    """The rows of a CSV file that ecube has written, as dictionaries."""
    with open(path, newline="", encoding="utf-8") as file:
        return rows_of(file.read())


def plain_file(folder, name):
    """The bytes of a file in an open folder. OSError where there is none, or a link, pipe or device of that name."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with open(name, "rb", opener=lambda name, _: os.open(name, flags, dir_fd=folder)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{name} is no file")
        return file.read()


def published(directory, name):
    """The bytes of a run's file in an open directory: of the run that was published last, whose files may not all be in
    their places yet. None where there is no such file."""
    for folder in (".ecube.next", "."):
        try:
            inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
        except OSError:
            continue
        try:
            return plain_file(inside, name)
        except OSError:
            pass
        finally:
            os.close(inside)
    return None


def contents_of(path, files, contents):
    """The files of a run as objects. EcubeError where one is not there, or of another size than in the run's list."""
    sizes = {file["name"]: file["bytes"] for file in files if isinstance(file, dict)}
    for name, text in contents.items():
        if text is None or len(text) != sizes.get(name, len(text)):
            raise EcubeError(2, f"{path}/{name} is not as its run left it: run it again")
    tables = {name[:-4]: rows_of(text.decode()) for name, text in contents.items() if name.endswith(".csv")}
    return {"summary": json.loads(contents["summary.json"]), **tables}


def run_directory(path):
    """What `-o DIR` has left: its JSON object, and the rows of its tables, by name. All of one run, also while others
    are published: each run has a random name of its own, which stands in the list of its files and is read before and
    after them. Sizes are checked, which finds a file that was cut off. The hashes of the list are not (XXH3 is not in
    Python): `ecube report` and `ecube compare` check them, and find a file that was changed without becoming longer."""
    try:
        directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as problem:
        raise EcubeError(2, f"{path} is no run directory: {problem.strerror}") from None
    try:
        for _ in range(100):
            manifest = published(directory, "provenance.json")
            if manifest is None:
                break
            files = json.loads(manifest)["files"]
            names = [file["name"] if isinstance(file, dict) else file for file in files]
            tables = ("summary.json", "links.csv", "circuits.csv")
            contents = {name: published(directory, name) for name in tables if name in names}
            if published(directory, "provenance.json") == manifest:
                return contents_of(path, files, contents)
    finally:
        os.close(directory)
    raise EcubeError(2, f"{path} is no run directory: ecube run ... -o DIR makes one")


def sweep(study, output, allow_code=False):
    """Runs what is missing of a study, and returns a row for each point. EcubeError when a point has failed."""
    command("sweep", study, "-o", output, "--quiet", *(["--allow-code"] if allow_code else []))
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "results.csv")
        command("sweep", "export", output, "-o", table)
        return read_csv(table)


def frame(rows):
    """Rows as a pandas.DataFrame. ImportError where pandas is not installed."""
    import pandas  # pylint: disable=import-outside-toplevel

    return pandas.DataFrame(rows)

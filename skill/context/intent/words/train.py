#!/usr/bin/env python3
"""Fits the weights of the rule that knows a repository's own words (weights.tsv), by logistic regression.

What is seen in a prompt comes from the rule itself (example `seen`). Fitted on:
- corpus/training.jsonl, and what is not held back of corpus/prompts.jsonl, ordinary.jsonl and intent.jsonl;
- titles of changes and of issues of thirteen repositories, none of which the tests ask about;
- what others ask assistants, without what is about code: the seeds of self-instruct and BELLE, the talk of chatterbot.
corpus/fresh.jsonl, corpus/unseen.jsonl and what is held back is not read.

usage: train.py SEEN [REPOS]     (needs numpy)

SEEN is the example's program. REPOS is as in make.py. The same sources make the same file.
"""

import collections
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import zlib

import numpy

from make import Repository, lines, stem

HERE = pathlib.Path(__file__).parent
CORPUS = HERE.parent / "corpus"

# owner/name, commit; then the file with titles of issues and how they stand there, and whether changes are told in Chinese.
SOURCES = """
firefly-iii/firefly-iii @a95b82b14cb01b6e40491f2a94c53b47b71766e7
AntennaPod/AntennaPod @b7ee12ccfc026b7fe6ca7206a925a05a23e15cca
paperless-ngx/paperless-ngx @b0e0e8a35373a5d9d588a507cb63c79e50a23403
kanboard/kanboard @2cba210dbad4e110d4efdec97d71a38b5df48dad
pallets/flask @2ac89889f4cc330eabd50f295dcef02828522c69
BurntSushi/ripgrep @3fce3b5bb0236da2df6d99672afb8a719642eca7
square/okhttp @1682d9bac8c03dffde2969b0b74d47649d0dbb52
helix-editor/helix @079a789e8cb08ead67f19e1971a1b7438b37354b
macrozheng/mall @74eebe067d4f17b2d0b61691bef2748e3a7daf80
halo-dev/halo @38f52f29bfbe236fac2209dc21be40673d558d80
yangzongzhuan/RuoYi-Vue @a6ea55ecf74ae6cdb063f2b413d66a33f29bf828
dromara/hutool @2959e8351b805d1c667323d204334c028fe26589
gogf/gf @c8bdbb77fae2a210a539a678251fec9f5ad49261
"""
CHINESE = {"macrozheng/mall", "halo-dev/halo", "yangzongzhuan/RuoYi-Vue", "dromara/hutool", "gogf/gf"}
# Titles in files: where, how, the most of them, and what each weighs.
TITLES = {
    "firefly-iii/firefly-iii": ("changelog.md", r"^- \[(?:Issue|Discussion) \d+\]\([^)]*\) \((.*)\) (?:reported|started) by", 433, 1.5),
    "kanboard/kanboard": ("ChangeLog", r"^\* (?:\w+(?:\([^)]*\))?: )?(.*)$", 200, 0.8),
    "paperless-ngx/paperless-ngx": (
        "docs/changelog.md",
        r"^- (?:Fix|Fixhancement|Feature|Enhancement|Bugfix):? ?(.*?) (?:@|\[@|\(\[#)",
        220,
        0.8,
    ),
    "dromara/hutool": ("CHANGELOG.md", r"^\* +【.*?】\s*([^（(\n]*)", 220, 0.8),
    "helix-editor/helix": ("CHANGELOG.md", r"^[-*]\s+(.*?) \(\[#", 150, 0.8),
    "BurntSushi/ripgrep": ("CHANGELOG.md", r"^\* \[(?:BUG|FEATURE) #.*?\]\(.*?\):\n\s+(.*?)\.?$", 90, 0.8),
    "pallets/flask": ("CHANGES.rst", r"^-   ([^\n]{20,90})\.$", 50, 0.8),
}
ASKED = "yizhongw/self-instruct @0b26ccaa415992100fa32df62d41b994cf928e23"
ASKED_CHINESE = "LianjiaTech/BELLE @645084d36454cdeb4e7f1ce9b2f3426bac39f1f9"
TALK = "gunthercox/chatterbot-corpus @a01efece26661309b870af0251d96f94ee09fb19"
# What others ask may be about code, too.
CODE = re.compile(
    r"\b(code|python|java|c\+\+|program|function|sql|html|css|regex|algorithm|latex|script|compiler|json|leetcode|api|bash|shell"
    r"|linux|unix|javascript)\b|代码|编程|程序|函数|算法|数据库|正则|网页|编写",
    re.I,
)
CODE_PLACES = {"Github", "Leetcode", "Overleaf", "StackOverflow", "w3schools", "GeeksforGeeks", "Markdown"}
NOT_TALK = re.compile(r"/(ai|botprofile|coding|computers|tech_support)\.yml$")
CHORES = re.compile(
    r"bump|\bversion\b|deps|merge|lint|typo|release|translat|upgrade|update .* to v|chore|revert|formatting|readme|sync"
    r"|auto commit|^update|版本|升级|发布|合并|文档|注释",
    re.I,
)
FIXED = re.compile(
    r"(?:fix(?:ed|es)?|bugfix|修复|修正|解决)(?: a| the)?(?: bug| issue)?(?: where| when| that)?[ ，:：]*(.{6,}?)(?:的?问题|的?bug)?$", re.I
)
# Of each repository so many titles of changes are read, of those that are told in Chinese so many more.
CHANGES, CHANGES_CHINESE = 110, 90
# How often each sort counts, and in how many repositories an everyday prompt is asked.
WEIGHTS = {"own": 3.0, "change": 0.5, "change zh": 0.7, "intent": 5.0, "everyday": 4.0, "asked": 1.5, "talk": 1.0, "test": 5.0}
TIMES = {"everyday": 4, "asked": 3, "talk": 2, "intent": 4}

SUFFIXES = set("py pyi rb rake java kt kts rs go js jsx ts tsx mjs cjs php phtml c h cc cpp hpp cs swift sh bash".split())
NOT_SOURCES = re.compile(
    r"(^|/)(tests?|testing|__tests__|specs?|testdata|bench|benches|benchmarks?|demos?|docs?|examples?|samples?|_vendor|deps|dist"
    r"|extern|external|generated|third_party|thirdparty|vendor|vendored)/|\.(generated|min|pb)\.|_generated\.|_pb2|(^|/)test_[^/]*$"
    r"|_(test|tests|spec)\.\w+$|\.(test|spec)\.|\w{4,}Tests?\.\w+$|(^|/)(conftest|tests?)\.\w+$"
)
DEFINITION = re.compile(
    r"\b(?:class|interface|struct|enum|trait|type|def|func|fn|fun|function|module|const|object|mod|val)\s+(?:\([^)]*\)\s*)?"
    r"(?:self\.)?([A-Za-z_]\w*)|^\s*(?:public|private|protected|static|final|internal|override|\s)+[\w<>\[\], ?]+\s+([a-zA-Z_]\w*)\s*\("
    r"|^\s*(?:export\s+)?(?:const|let)\s+([A-Za-z_]\w*)\s*=|^\s{2,}(?:public|private|protected)\s+[\w<>\[\], ?]+\s+([a-zA-Z_]\w*)\s*[;=]",
    re.M,
)
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

# A name of the shape needs so many prompts and so many sources; of these so many are kept, with this penalty.
PROMPTS_MIN, SOURCES_MIN, NAMES_MAX, PENALTY = 4, 4, 600, 2.0
# What is added to the bias at the end: an everyday prompt that gets code costs more than one about code that gets none.
SHIFT = -0.3


def parts(name):
    return [name.lower()] + [part.lower() for part in PART.findall(name)]


def own_words(source):
    """The words of a repository's paths and definitions, about as `code-intel` counts them."""

    def wanted(path):
        return path.rsplit(".", 1)[-1] in SUFFIXES and not NOT_SOURCES.search(path)

    files = source.files(wanted)
    counts = collections.Counter()
    for (_, path, _), text in zip(files, source.texts(files)):
        names = re.findall(r"\w+", path.rsplit(".", 1)[0])
        names += [next(filter(None, match.groups())) for match in DEFINITION.finditer(text)]
        counts.update({stem(word) for name in names for word in parts(name.strip("_")) if len(word) > 2})
    return len(files), counts


def changes(source, is_chinese, most):
    subjects = source.git("log", "--no-merges", "--format=%s", "-6000", source.commit).decode("utf8", "replace")
    found = set()
    for text in subjects.split("\n"):
        for cut in (r"^!\d+ ", r"Merge pull request .*$", r":\w+:", r"(?i)\s*\(?\b(fixes|closes|fix|close|backport)?:?\s*#\d+\)?"):
            text = re.sub(cut, "", text)
        text = re.sub(r"^\[[^\]]*\] ", "", re.sub(r"^(\w+)(\([^)]*\))?!?: ", "", text.strip())).strip()
        short = len(text) < 6 if is_chinese else len(text.split()) < 4
        if bool(re.search("[\u4e00-\u9fff]", text)) != is_chinese or short or len(text) > 110 or CHORES.search(text):
            continue
        found.add(text)
        fault = FIXED.match(text)
        if fault and (is_chinese or len(fault.group(1).split()) > 3):
            found.add(fault.group(1))
    return drawn(found, f"{source.name}{is_chinese}", most)


def drawn(texts, seed, most):
    texts = sorted(texts)
    random.Random(seed).shuffle(texts)
    return texts[:most]


def titles(source, file, pattern, most):
    found = set()
    for match in re.finditer(pattern, source.git("show", f"{source.commit}:{file}").decode("utf8", "replace"), re.M):
        text = re.sub(r"^(Fixed?|Fixes|修复|修正|解决)[ ：:]*", "", match.group(1)).strip(" :-")
        if 8 < len(text) < 110 and not re.search(r"[`\[]|https?:|[Bb]ump|translation|^Update|^Upgrade", text):
            found.add(re.sub("问题$", "", text))
    return drawn(found, source.name, most)


def asked_of_others(clones, scratch):
    english = Repository(ASKED, clones, scratch)
    found = []
    for file in ("data/seed_tasks.jsonl", "human_eval/user_oriented_instructions.jsonl"):
        for row in map(json.loads, lines(english.git("show", f"{english.commit}:{file}").decode())):
            if row.get("motivation_app") not in CODE_PLACES:
                found.append(row["instruction"])
    chinese = Repository(ASKED_CHINESE, clones, scratch)
    text = chinese.git("show", f"{chinese.commit}:data/1.5M/zh_seed_tasks.json").decode()
    found += [json.loads(line)["instruction"] for line in lines(text)]
    return [text.strip() for text in found if not CODE.search(text)]


def talk(clones, scratch):
    source = Repository(TALK, clones, scratch)
    found = set()
    for text in source.texts(source.files(lambda path: re.search("/data/(english|chinese)/", path) and not NOT_TALK.search(path))):
        said = (match.group(1).strip(" \"'") for match in re.finditer(r"^- - (.*)$", text, re.M))
        found.update(text for text in said if 3 < len(text) < 120)
    return sorted(found)


def corpus(name):
    return [json.loads(line) for line in lines((CORPUS / name).read_text())]


def words_of(name):
    return [line.split("\t")[0] for line in lines((CORPUS / name).read_text()) if line.count("\t") == 1]


def prompts(clones, scratch, words_file):
    """All that is fitted on: whether it is about code, its weight, where it is from, the repository, the prompt."""
    rows = []
    with open(words_file, "w") as out:
        for line in lines(SOURCES):
            source = Repository(line, clones, scratch)
            count, words = own_words(source)
            out.write(f"{source.name}\t{count}\n")
            out.writelines(f"{source.name}\t{word}\t{count}\n" for word, count in sorted(words.items()))
            for text in changes(source, False, CHANGES):
                rows.append((1, WEIGHTS["change"], f"change {source.name}", source.name, text))
            if source.name in CHINESE:
                for text in changes(source, True, CHANGES_CHINESE):
                    rows.append((1, WEIGHTS["change zh"], f"change zh {source.name}", source.name, text))
            if source.name in TITLES:
                *where, weight = TITLES[source.name]
                rows += [(1, weight, f"title {source.name}", source.name, text) for text in titles(source, *where)]
    training = [line.split(" @")[0] for line in lines(SOURCES)]
    five, six = words_of("repositories.tsv"), words_of("ordinary.tsv")
    everywhere = training + five + six
    choose = random.Random(7)

    def everyday(text, weight, sort, repositories, label=0):
        for repository in repositories:
            rows.append((label, weight / len(repositories), f"{sort} {zlib.crc32(text.encode()) % 6}", repository, text))

    for row in corpus("training.jsonl"):
        if row["code"]:
            rows.append((1, WEIGHTS["own"], f"own {row['repo']}", row["repo"], row["prompt"]))
        else:
            everyday(row["prompt"], WEIGHTS["everyday"], "everyday", choose.sample(everywhere, TIMES["everyday"]))
    for file, repositories in (("prompts.jsonl", five), ("ordinary.jsonl", six)):
        for row in corpus(file):
            if row["code"] and not row["held"]:
                rows.append((1, WEIGHTS["own"], f"own {row['repo']}", row["repo"], row["prompt"]))
            elif not row["held"]:
                everyday(row["prompt"], WEIGHTS["test"], file, repositories)
    for row in corpus("intent.jsonl"):
        if int(row["id"][:2], 16) % 3:
            weight = WEIGHTS["intent" if row["code"] else "everyday"]
            everyday(row["prompt"], weight, "intent", choose.sample(everywhere, TIMES["intent"]), int(row["code"]))
    for sort, texts in (("asked", asked_of_others(clones, scratch)), ("talk", talk(clones, scratch))):
        for text in texts:
            everyday(text, WEIGHTS[sort], sort, choose.sample(everywhere, TIMES[sort]))
    tested = {row["prompt"] for row in corpus("fresh.jsonl")}
    tested |= {row["prompt"] for name in ("prompts.jsonl", "ordinary.jsonl", "unseen.jsonl") for row in corpus(name) if row["held"]}
    tested |= {row["prompt"] for row in corpus("intent.jsonl") if not int(row["id"][:2], 16) % 3}
    return [row for row in rows if row[4] not in tested and "\t" not in row[4]]


def seen(program, words_file, rows):
    files = [words_file, CORPUS / "repositories.tsv", CORPUS / "ordinary.tsv"]
    asked = "".join(f"{row[3]}\t{' '.join(row[4].split())}\n" for row in rows)
    done = subprocess.run([program, *files], input=asked.encode(), capture_output=True, check=True)
    for row, line in zip(rows, done.stdout.decode().split("\n")):
        if line:
            fields = (field.rsplit("=", 1) for field in line.split("\t"))
            yield row, {name: float(value) for name, value in fields}


def fitted(found, names, penalties):
    place = {name: number for number, name in enumerate(names)}
    table = numpy.zeros((len(found), len(names)), dtype=numpy.float32)
    for number, (_, values) in enumerate(found):
        for name, value in values.items():
            if name in place:
                table[number, place[name]] = value
    label = numpy.array([row[0] for row, _ in found], dtype=numpy.float64)
    weight = numpy.array([row[1] for row, _ in found], dtype=numpy.float64)
    weight[label == 1] *= weight[label == 0].sum() / weight[label == 1].sum()
    weight /= weight.mean()
    result = numpy.zeros(len(names))
    for _ in range(15):
        guess = 1 / (1 + numpy.exp(-(table @ result)))
        slope = table.T @ (weight * (guess - label)) + penalties * result
        bend = (table * (weight * guess * (1 - guess) + 1e-4)[:, None]).T @ table + numpy.diag(penalties + 1e-6)
        step = numpy.linalg.solve(bend, slope)
        result -= step
        if abs(step).max() < 1e-4:
            break
    return dict(zip(names, result))


def penalty(name):
    return 0.0 if name == "=bias" else 0.3 if name.startswith("=") else PENALTY


def main():
    program = sys.argv[1]
    clones = {}
    if len(sys.argv) > 2:
        clones = dict(line.split(None, 1) for line in lines(open(sys.argv[2]).read()))
        clones = {name: path.strip() for name, path in clones.items()}
    with tempfile.TemporaryDirectory() as scratch:
        words_file = pathlib.Path(scratch) / "words.tsv"
        found = list(seen(program, words_file, prompts(clones, pathlib.Path(scratch), words_file)))
    prompts_with, sources_with = collections.defaultdict(set), collections.defaultdict(set)
    for row, values in found:
        for name in values:
            prompts_with[name].add(row[4])
            sources_with[name].add(row[2])
    counts = sorted(name for name in prompts_with if name.startswith("="))
    many = sorted(
        name
        for name in prompts_with
        if not name.startswith("=") and len(prompts_with[name]) >= PROMPTS_MIN and len(sources_with[name]) >= SOURCES_MIN
    )
    names = counts + many
    first = fitted(found, names, numpy.array([penalty(name) for name in names]))
    says = sorted(many, key=lambda name: -abs(first[name]) * math.sqrt(len(prompts_with[name])))
    names = counts + sorted(says[:NAMES_MAX])
    last = fitted(found, names, numpy.array([penalty(name) for name in names]))
    last["=bias"] += SHIFT
    kept = {name: round(100 * weight) for name, weight in last.items() if round(100 * weight)}
    text = "".join(f"{name}\t{kept[name]}\n" for name in sorted(kept, key=str.encode))
    (HERE / "weights.tsv").write_text(text)
    labels = collections.Counter(row[0] for row, _ in found)
    print(f"weights.tsv: {len(kept)} weights from {labels[1]} prompts about code and {labels[0]} everyday ones")


if __name__ == "__main__":
    main()

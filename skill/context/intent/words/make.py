#!/usr/bin/env python3
"""Makes the two word lists of the intent rule from public documents.

everyday.txt: stems that English prose outside of software uses: public-domain novels and magazines
(Project Gutenberg), recipes, small talk, the handbook of a company.
software.txt: stems that the prose of many software projects' documents uses, and that prose does not.

usage: make.py [REPOS]

REPOS is a file with `owner/name path-of-a-clone` a line; what it does not name is cloned from GitHub
into a temporary folder. The lists lie beside this file. The same sources make the same bytes.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

# What says how everyday English is: owner/name, commit.
BOOKS = """
GITenberg/Adventures-of-Huckleberry-Finn_76 @8494afff3a26f95f37376f7a79a014cf818ccaba
GITenberg/Alice-s-Adventures-in-Wonderland_11 @7f18748e114b994d5d9454d5793581bc0b9cf9d7
GITenberg/American-AdventuresA-Second-Trip-Abroad-at-home-_18304 @748434ca594b6997cc8e8ff6af53cb9d343071bd
GITenberg/Charles-Dickens-and-Music_16595 @9be22dbb5e0b2225239b22d82f5ea18527464d4f
GITenberg/Great-Expectations_1400 @889db0e100928a957f469bf834c564d04065c8e6
GITenberg/Jack-Sheppard--A-Romance_16215 @53c2275d68a942a3c29d037179f8b89c9b094c3f
GITenberg/Katrine--A-Novel_14263 @cda5284ad5c11e1928cd4c133c0726c1592bea08
GITenberg/Moby-Dick--Or-The-Whale_2701 @bdf1948e6cd00963730971e5624e764a35f238c3
GITenberg/News-from-Nowhere--Or-An-Epoch-of-Rest--13-Being-Some-Chapters-from-a-Utopian-Romance_3261 @79bd67b0ae225cd64f7bbc25c0449850b3131069
GITenberg/Pride-and-Prejudice_1342 @81db45c9c48c592f0b77f01fc59e677ad0a5634e
GITenberg/The-Adventures-of-Sherlock-Holmes_1661 @7e5dd2703fbf503c004063e96ab7c61262375e5f
GITenberg/The-Complete-Angler-1653_9198 @3e96ba0d8cc824b4aaf81f9e8d08dd904996df2b
GITenberg/The-Girl-s-Own-Paper-Vol.-VIII--No.-353-October-2-1886._18195 @7dd4392fb0f06c54b14abe0852033a97eeca0af4
GITenberg/The-Little-Colonel-s-Hero_15122 @69e1e7ab1c6c998ea3e46e8b55239fe480b657c4
GITenberg/The-Mind-the-Paint-Girl--13-A-Comedy-in-Four-Acts_21849 @612601ef3a64fd410166f8c081c111072c09ba48
GITenberg/The-Time-Machine_35 @154a5c628743bd7d35d1af0fc4bcc017f0e111e1
GITenberg/The-War-of-the-Worlds_36 @8b08fa3a7cbef117c80b2b437adc46e75c37dbf0
"""
RECIPES = "LukeSmithxyz/based.cooking @2d8642ec41ccc6162ec3123c15024dd3d22cc33b"
TALK = "gunthercox/chatterbot-corpus @a01efece26661309b870af0251d96f94ee09fb19"
HANDBOOK = "basecamp/handbook @c9536061f26d0b5bd9f2f900d63e27e9f4deb4ed"

# Whose documents say how software is spoken of. None of the repositories of corpus/prompts.jsonl.
SOFTWARE = """
Alamofire/Alamofire @7595cbcf59809f9977c5f6378500de2ad73b7ddb
BurntSushi/ripgrep @3fce3b5bb0236da2df6d99672afb8a719642eca7
JamesNK/Newtonsoft.Json @09bb545d72969ad7fb4ea07db0d5c34f4fc07877
aio-libs/aiohttp @495e778360d1924da63e16dba0f0d76baf56a56a
alibaba/fastjson2 @ae13900f650afcfe70c6656f0ffc2685fc63f9a2
astropy/astropy @1fdfae1fe1881234e08855ac662dae86e538ed7c
axios/axios @23a25af0688d1db2c396deb09229d2271cc24f6c
bats-core/bats-core @d22e41faad59f5fd942a88c992b4913a27a460c4
celery/celery @5dc781f0bd5f36186bfcc74e0a4f9f654452c69b
composer/composer @eba7baa59eb1b59246cf9800b0120fe78915b6ac
fmtlib/fmt @60ccad511fd680cb91d8b60a315759f71c67bef9
gogf/gf @c8bdbb77fae2a210a539a678251fec9f5ad49261
gohugoio/hugo @7b5199fdeff7d7682e9f979f468d55bc7b67b934
helix-editor/helix @079a789e8cb08ead67f19e1971a1b7438b37354b
hyperium/hyper @8fcaf1a62787b824fdd7b95a3e7c9ea81acd3449
jqlang/jq @579e6f76cffd7643ba4002a2c3618a5ea710589a
mwaskom/seaborn @f04b6cd5484267a0885d1fed068e99dff3a1b226
networkx/networkx @cfc6b79fc53f583aa15a79b2187ae30bd4f480ed
nushell/nushell @3e1172d43cabb34afb798dfc9d8724839e18fe85
pallets/flask @2ac89889f4cc330eabd50f295dcef02828522c69
psf/requests @1f6589ec3a1ee910f9a65cc3ceac60b26677bc0e
pydata/xarray @b1c1dc549b62bdfc8de0bdded24f56464cf0db1a
pylint-dev/pylint @3a99b2d728d0c8ff5267e0c38ebad4f5ba228dac
pytest-dev/pytest @df87db7b0462fb764ef73fa00561adf8ad047572
python/mypy @8b3e7d8b9f63543374e53d1c389ea443dd65bc46
rubocop/rubocop @3a42c622171794510e03999c8d55129b73c5dc8f
scrapy/scrapy @11079cb1c85b9e75a39a7269943c69d1a975d485
sphinx-doc/sphinx @e44a40eb2f810558ccd9da1425421270ccb81351
square/okhttp @1682d9bac8c03dffde2969b0b74d47649d0dbb52
starship/starship @6f33dcec91b758ccbae4ed850eaa6feabff798f9
tokio-rs/tokio @ea91b33ca57ff0581b38e735cc108f831bccbdaa
"""

# Talk and handbook have parts about computers, which are not everyday.
NOT_TALK = re.compile(r"/(ai|botprofile|coding|computers|tech_support)\.yml$")
NOT_HANDBOOK = re.compile(r"programmers|QA|devices|ops")
# Lists of changes are not prose.
NOT_PROSE = re.compile(r"changelog|changes|news|history|release|whatsnew|testdata|/tests?/", re.I)
# So many documents of one project are read at most, none above so many bytes.
DOCUMENTS_MAX, BYTES_MAX = 400, 400_000
# A stem is everyday from so many points on: a book is one, a recipe's word two, one of talk up to four.
EVERYDAY = 3
# It is of software when the documents of so many projects have it, and no more than one point says
# that it is everyday.
PROJECTS, POINTS_MAX = 6, 1
# Longer everyday stems are hardly ever names in code.
LETTERS_MAX = 9
# A word of recipes stands in so many of them.
RECIPES_MIN = 4

ENDINGS = ["ations", "ation", "ings", "ing", "ions", "ion", "ers", "ied", "ies", "es", "ed"]


def stem(word):
    """As `intent::vocabulary::stem`; a test holds the lists against it."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            cut = word[: len(word) - len(ending) + ending.startswith("ie")]
            doubled = len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "ls"
            return cut[:-1] if doubled else cut
    if word.endswith("er") and len(word) > 5:
        return word[:-2]
    if word.endswith("s") and len(word) > 3 and not word.endswith("ss"):
        return word[:-1]
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    return word


def stems(text):
    return {stem(word) for word in re.findall(r"[a-z]{3,}", text.lower())}


class Repository:
    def __init__(self, line, clones, scratch):
        self.name, self.commit = line.split(" @")
        self.path = clones.get(self.name)
        if self.path is None:
            self.path = str(scratch / self.name.replace("/", "+"))
            url = f"https://github.com/{self.name}"
            subprocess.run(["git", "clone", "--quiet", "--bare", url, self.path], check=True)

    def git(self, *args, stdin=None):
        done = subprocess.run(["git", "-C", self.path, *args], input=stdin, capture_output=True, check=True)
        return done.stdout

    def files(self, wanted):
        """Texts of the files whose path is wanted, in the order of their paths."""
        chosen = []
        for line in self.git("ls-tree", "-r", "-l", self.commit).decode("utf8", "replace").splitlines():
            head, path = line.split("\t", 1)
            _, kind, blob, size = head.split()
            if kind == "blob" and wanted(path) and int(size) < BYTES_MAX * 4:
                chosen.append((blob, path, int(size)))
        return chosen

    def texts(self, chosen):
        out = self.git("cat-file", "--batch", stdin="\n".join(blob for blob, _, _ in chosen).encode())
        at = 0
        while at < len(out):
            end = out.index(b"\n", at)
            head = out[at:end].split()
            at = end + 1
            if head[-1] == b"missing":
                continue
            size = int(head[2])
            yield out[at : at + size].decode("utf8", "replace")
            at += size + 1


def lines(text):
    return [line for line in text.split("\n") if line.strip()]


def prose(text):
    """A document without code, links and markup."""
    for fence in (r"```.*?```", r"~~~.*?~~~"):
        text = re.sub(fence, " ", text, flags=re.S)
    for mark in (r"``[^`]*``", r"`[^`]*`", r"<[^>]*>", r"\]\([^)]*\)", r"https?://\S+"):
        text = re.sub(mark, " ", text)
    return re.sub(r"^( {4}|\t|\.\. ).*$", " ", text, flags=re.M)


def prose_stems(text):
    plain = re.findall(r"(?<![\w./_-])[a-z]{3,}(?![\w/_(])", " " + prose(text).lower())
    return {stem(word) for word in plain}


def everyday_points(clones, scratch):
    points = collections.Counter()
    for line in lines(BOOKS):
        book = Repository(line, clones, scratch)
        number = book.name.rsplit("_", 1)[1]
        text = book.git("show", f"{book.commit}:{number}.txt").decode("latin-1")
        begin, end = text.find("*** START"), text.find("*** END")
        points.update(stems(text[begin:end] if 0 < begin < end else text))
    recipes = collections.Counter()
    source = Repository(RECIPES, clones, scratch)
    for text in source.texts(source.files(lambda path: path.endswith(".md"))):
        recipes.update(stems(text))
    points.update({word: 2 for word, count in recipes.items() if count >= RECIPES_MIN})
    for line, wanted, weight in [
        (TALK, lambda path: "/english/" in path and not NOT_TALK.search(path), 2),
        (HANDBOOK, lambda path: path.endswith(".md") and not NOT_HANDBOOK.search(path), 1),
    ]:
        counts = collections.Counter()
        source = Repository(line, clones, scratch)
        for text in source.texts(source.files(wanted)):
            counts.update(stems(text))
        points.update({word: min(count, 2) * weight for word, count in counts.items()})
    return points


def projects_with(clones, scratch):
    projects = collections.Counter()
    for line in lines(SOFTWARE):
        source = Repository(line, clones, scratch)
        document = re.compile(r"\.(md|rst|adoc)$")
        chosen = source.files(lambda path: document.search(path) and not NOT_PROSE.search(path))
        chosen = [entry for entry in chosen if entry[2] < BYTES_MAX][:DOCUMENTS_MAX]
        found = set()
        for text in source.texts(chosen):
            found |= prose_stems(text)
        projects.update(found)
    return projects


def grouped(words):
    """Words that begin with the same three letters a line: these, a tab, and what follows them, blanks between."""
    lines = collections.defaultdict(list)
    for word in words:
        lines[word[:3]].append(word[3:])
    return "".join(f"{begin}\t{' '.join(rest)}\n" for begin, rest in lines.items())


def main():
    clones = {}
    if len(sys.argv) > 1:
        clones = dict(line.split(None, 1) for line in lines(open(sys.argv[1]).read()))
        clones = {name: path.strip() for name, path in clones.items()}
    here = pathlib.Path(__file__).parent
    with tempfile.TemporaryDirectory() as scratch:
        points = everyday_points(clones, pathlib.Path(scratch))
        projects = projects_with(clones, pathlib.Path(scratch))
    everyday = sorted(word for word, count in points.items() if count >= EVERYDAY and len(word) <= LETTERS_MAX)
    software = [word for word, count in projects.items() if count >= PROJECTS and points[word] <= POINTS_MAX]
    for name, words in [("everyday.txt", everyday), ("software.txt", sorted(software))]:
        (here / name).write_text(grouped(word for word in words if len(word) > 2))
        print(f"{name}: {len(words)} stems")


if __name__ == "__main__":
    main()

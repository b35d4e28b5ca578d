"""Ranks files with aider's repository map, fed as aider feeds it; one line in, one line out.

Each line of the file argv[1] is {"id", "tree", "query"}; each line printed {"id", "files", "ms"}. With
argv[2], a number of characters, it is {"id", "map"}: the text that aider would show of that length.
The tag cache is keyed by content and kept in memory, so that nothing is written into a tree.
"""

import hashlib
import json
import os
import re
import sys
import time

import aider.repomap as repomap

TAGS = {}
SOURCE = set("c cc cpp cxx go h hpp java js jsx mjs php py pyx rb rs ts tsx".split())


class Quiet:
    def read_text(self, name):
        with open(name, encoding="utf-8", errors="replace") as file:
            return file.read()

    def tool_output(self, *_, **__):
        pass

    tool_warning = tool_error = tool_output


class Model:
    def token_count(self, text):
        return len(text) // 4


class Map(repomap.RepoMap):
    def load_tags_cache(self):
        self.TAGS_CACHE = {}

    def save_tags_cache(self):
        pass

    def get_tags(self, fname, rel_fname):
        try:
            with open(fname, "rb") as file:
                key = (rel_fname, hashlib.sha1(file.read()).digest())
        except OSError:
            return []
        if key not in TAGS:
            TAGS[key] = [tag._replace(fname="") for tag in self.get_tags_raw(fname, rel_fname)]
        return [tag._replace(fname=fname) for tag in TAGS[key]]


def files_of(tree):
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.rsplit(".", 1)[-1] in SOURCE:
                yield os.path.join(folder, name)


def mentioned(query, relative):
    """As Coder.get_file_mentions, get_ident_mentions and get_ident_filename_matches do."""
    words = set(word.rstrip(",.!;:?").strip("\"'`*_") for word in query.split())
    idents = set(re.split(r"\W+", query))
    lower = {ident.lower() for ident in idents if len(ident) >= 5}
    stems = {}
    for path in relative:
        stem = os.path.splitext(os.path.basename(path))[0].lower()
        if len(stem) >= 5:
            stems.setdefault(stem, set()).add(path)
    files = {path for path in relative if path in words}
    bases = {}
    for path in relative:
        bases.setdefault(os.path.basename(path), []).append(path)
    for base, paths in bases.items():
        if len(paths) == 1 and base in words and re.search(r"[/\\._-]", base):
            files.add(paths[0])
    for ident in lower:
        files |= stems.get(ident, set())
    return files, idents


def asked(tree, query, tokens):
    names = list(files_of(tree))
    relative = [os.path.relpath(name, tree) for name in names]
    files, idents = mentioned(query, relative)
    return Map(map_tokens=tokens, root=tree, main_model=Model(), io=Quiet()), names, files, idents


def text_of(tree, query, characters):
    with_map, names, files, idents = asked(tree, query, characters // 4)
    text = with_map.get_ranked_tags_map([], names, characters // 4, files, idents)
    return (text or "")[:characters]


def rank(tree, query):
    with_map, names, files, idents = asked(tree, query, 8192)
    ranked = []
    for tag in with_map.get_ranked_tags([], names, files, idents):
        if tag[0] not in ranked:
            ranked.append(tag[0])
    return ranked


def main():
    with open(sys.argv[1], encoding="utf-8") as cases:
        for line in cases:
            case = json.loads(line)
            if len(sys.argv) > 2:
                text = text_of(case["tree"], case["query"], int(sys.argv[2]))
                print(json.dumps({"id": case["id"], "map": text}), flush=True)
                continue
            begun = time.monotonic()
            files = rank(case["tree"], case["query"])
            ms = (time.monotonic() - begun) * 1e3
            print(json.dumps({"id": case["id"], "files": files[:100], "ms": ms}), flush=True)


main()

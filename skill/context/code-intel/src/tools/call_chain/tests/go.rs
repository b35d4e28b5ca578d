//! Go: a store behind an interface, two packages, handlers in a map.

use super::*;

const FILES: &[(&str, &str)] = &[
    ("go.mod", "module example.com/notes\n"),
    (
        "main.go",
        "package main

import \"example.com/notes/store\"

type handler func(s store.Store, key string) string

var handlers = map[string]handler{\"get\": get, \"drop\": remove}

func main() {
	s := open(true)
	run(s, []string{\"get\", \"drop\"})
	s.Close()
}

func open(fast bool) store.Store {
	if fast {
		return store.NewMemory()
	}
	return store.NewDisk(\"notes\")
}

func run(s store.Store, names []string) {
	for _, name := range names {
		show(handlers[name](s, name))
	}
}

func get(s store.Store, key string) string {
	return s.Get(clean(key))
}

func remove(s store.Store, key string) string {
	s.Delete(clean(key))
	return \"\"
}

func clean(key string) string {
	return key
}

func show(text string) {
	print(text)
}
",
    ),
    (
        "store/store.go",
        "package store

type Store interface {
	Get(key string) string
	Delete(key string)
	Close()
}

type Memory struct{ notes map[string]string }

func NewMemory() *Memory {
	return &Memory{notes: load(\"\")}
}

func (m *Memory) Get(key string) string { return m.notes[key] }

func (m *Memory) Delete(key string) { delete(m.notes, key) }

func (m *Memory) Close() {}

func load(path string) map[string]string {
	return map[string]string{}
}
",
    ),
    (
        "store/disk.go",
        "package store

type Disk struct {
	path  string
	cache *Memory
}

func NewDisk(path string) *Disk {
	return &Disk{path: path, cache: NewMemory()}
}

func (d *Disk) Get(key string) string {
	if text := d.cache.Get(key); text != \"\" {
		return text
	}
	return d.read(key)
}

func (d *Disk) Delete(key string) {
	d.cache.Delete(key)
	d.write(key, \"\")
}

func (d *Disk) Close() { d.flush() }

func (d *Disk) read(key string) string { return load(d.path)[key] }

func (d *Disk) write(key, text string) { d.flush() }

func (d *Disk) flush() {}
",
    ),
];

/// Written down by hand. What the interface's methods are called on is known at run time only.
const CALLS: &[&str] = &[
    "main -> open",
    "main -> run",
    "main -> Memory.Close",
    "main -> Disk.Close",
    "open -> NewMemory",
    "open -> NewDisk",
    "run -> show",
    // By the map `handlers`.
    "run -> get",
    "run -> remove",
    "get -> clean",
    "get -> Memory.Get",
    "get -> Disk.Get",
    "remove -> clean",
    "remove -> Memory.Delete",
    "remove -> Disk.Delete",
    "NewMemory -> load",
    "NewDisk -> NewMemory",
    "Disk.Get -> Memory.Get",
    "Disk.Get -> Disk.read",
    "Disk.Delete -> Memory.Delete",
    "Disk.Delete -> Disk.write",
    "Disk.Close -> Disk.flush",
    "Disk.read -> load",
    "Disk.write -> Disk.flush",
];

#[test]
fn calls_of_go_are_found() {
    check(FILES, CALLS, 80, 83);
}

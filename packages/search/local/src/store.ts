import { rmSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import type { Change, Document } from './document.ts'
import { passagesOf } from './passages.ts'
import { indexable } from './terms.ts'

/** Version of the tables and of their content. An index of another version is recreated. */
const VERSION = 2
/** Maximum number of passages of a document. */
export const PASSAGES = 2 ** 20
/** Milliseconds to wait while another process writes. */
const PATIENCE = 10_000
/**
 * Primary result code of SQLite for a file that another connection has locked. @see
 * https://sqlite.org/rescode.html#busy
 */
const BUSY = 5
/** Milliseconds between two attempts to switch the journal mode. */
const RETRY = 10

const FULL_TEXT = `content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2 categories 'L* N* M* Co'"`
const TABLES = `
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, hash TEXT, reason TEXT
  ) STRICT;
  CREATE TABLE documents (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, url TEXT NOT NULL, host TEXT NOT NULL, place TEXT NOT NULL,
    type TEXT NOT NULL, mime TEXT NOT NULL, lang TEXT, published TEXT, date TEXT
  ) STRICT;
  CREATE TABLE passages (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  CREATE VIRTUAL TABLE bodies USING fts5(text, ${FULL_TEXT});
  CREATE VIRTUAL TABLE titles USING fts5(title, ${FULL_TEXT});
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(bodies, 'row');
`

/** Entry of a document or of a skipped path. */
export interface Entry {
  readonly stamp: string
  /** Hash of the content; null if the path was skipped. */
  readonly hash: string | null
}

/** Index, open for writing. */
export interface IndexStore {
  entries(): Map<string, Entry>
  /** Writes all changes, or none if the process dies. */
  write(changes: readonly Change[]): void
  skipped(): { path: string; reason: string }[]
  documents(): number
  /** Stored number by name; 0 if it does not exist. */
  fact(name: string): number
  setFact(name: string, value: number): void
  close(): void
}

/**
 * Opens or creates an index. A broken index, or an index of another version, is recreated, because its content can be
 * read again.
 */
export function openIndexStore(file: string, onWarning: (message: string) => void): IndexStore {
  try {
    return open(file)
  } catch (error) {
    if (!isBroken(error)) throw error
    onWarning(`The search index ${file} is broken and is recreated.`)
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
    return open(file)
  }
}

function isBroken(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 11 || error.errcode === 26)
}

function open(file: string): IndexStore {
  const db = new DatabaseSync(file, { timeout: PATIENCE })
  try {
    useWal(db)
    db.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -32768')
    transaction(db, () => {
      if (db.prepare('PRAGMA user_version').get()?.['user_version'] === VERSION) return
      for (const { name } of db.prepare(`SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'`).all())
        db.exec(`DROP TABLE ${name}`)
      for (const { name } of db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all())
        db.exec(`DROP TABLE ${name}`)
      db.exec(`${TABLES} PRAGMA user_version = ${VERSION}`)
    })
    return storeOf(db)
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Switches a file to WAL mode. The switch needs exclusive access and ignores the busy timeout, so processes that create
 * an index at the same time would fail.
 */
function useWal(db: DatabaseSync): void {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      const code = Number(Object(error).errcode) & 0xff
      if (code !== BUSY || performance.now() >= deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY)
    }
  }
}

function transaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Writer of the titles, bodies and passages of documents. */
function documentWriter(db: DatabaseSync) {
  const addDocument = db.prepare('INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const addPassage = db.prepare('INSERT INTO passages VALUES (?, ?)')
  const addText = db.prepare('INSERT INTO bodies (rowid, text) VALUES (?, ?)')
  const addTitle = db.prepare('INSERT INTO titles (rowid, title) VALUES (?, ?)')
  const removals = [
    'DELETE FROM documents WHERE id = ?',
    'DELETE FROM bodies WHERE rowid = ?',
    'DELETE FROM titles WHERE rowid = ?',
  ].map((sql) => db.prepare(sql))
  const removePassages = db.prepare('DELETE FROM passages WHERE id >= ? AND id < ?')
  return {
    insert(id: number, { title, text, url, type, mime, lang, published, date }: Document): void {
      const { hostname, pathname } = new URL(url)
      const language = lang?.toLowerCase() ?? null
      addDocument.run(id, title, url, hostname, pathname, type, mime, language, published ?? null, date ?? null)
      addTitle.run(id, indexable(title))
      addText.run(id, indexable(`${title}\n${text}`))
      for (const [index, passage] of passagesOf(text).entries()) addPassage.run(id * PASSAGES + index, passage)
    },
    remove(id: number): void {
      for (const statement of removals) statement.run(id)
      removePassages.run(id * PASSAGES, (id + 1) * PASSAGES)
    },
  }
}

/** Writer of a change: of an entry, and of its document. */
function changeWriter(db: DatabaseSync): (change: Change) => void {
  const find = db.prepare('SELECT id FROM entries WHERE path = ?')
  const add = db.prepare('INSERT INTO entries (path, stamp, hash, reason) VALUES (?, ?, ?, ?)')
  const alter = db.prepare('UPDATE entries SET stamp = ?, hash = ?, reason = ? WHERE id = ?')
  const restamp = db.prepare('UPDATE entries SET stamp = ? WHERE path = ?')
  const forget = db.prepare('DELETE FROM entries WHERE id = ?')
  const documents = documentWriter(db)

  const idOf = (path: string): number | undefined => {
    const row = find.get(path)
    return row ? Number(row['id']) : undefined
  }
  const enter = (path: string, stamp: string, hash: string | null, reason: string | null): number => {
    const id = idOf(path)
    if (id === undefined) return Number(add.run(path, stamp, hash, reason).lastInsertRowid)
    documents.remove(id)
    alter.run(stamp, hash, reason, id)
    return id
  }
  return (change) => {
    if (change.kind === 'keep') restamp.run(change.stamp, change.path)
    else if (change.kind === 'put')
      documents.insert(enter(change.path, change.stamp, change.hash, null), change.document)
    else if (change.kind === 'skip') enter(change.path, change.stamp, null, change.reason)
    else {
      const id = idOf(change.path)
      if (id === undefined) return
      documents.remove(id)
      forget.run(id)
    }
  }
}

function storeOf(db: DatabaseSync): IndexStore {
  const all = db.prepare('SELECT path, stamp, hash FROM entries')
  const skipped = db.prepare('SELECT path, reason FROM entries WHERE reason IS NOT NULL ORDER BY path')
  const count = db.prepare('SELECT count(*) AS documents FROM documents')
  const fact = db.prepare('SELECT value FROM facts WHERE name = ?')
  const setFact = db.prepare('INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
  const apply = changeWriter(db)
  const entryOf = ({ stamp, hash }: Record<string, SQLOutputValue>): Entry => ({
    stamp: String(stamp),
    hash: hash === null ? null : String(hash),
  })
  return {
    entries: () => new Map(all.all().map((row) => [String(row['path']), entryOf(row)])),
    write: (changes) =>
      transaction(db, () => {
        for (const change of changes) apply(change)
      }),
    skipped: () => skipped.all().map(({ path, reason }) => ({ path: String(path), reason: String(reason) })),
    documents: () => Number(count.get()?.['documents'] ?? 0),
    fact: (name) => Number(fact.get(name)?.['value'] ?? 0),
    setFact: (name, value) => void setFact.run(name, value),
    close: () => db.close(),
  }
}

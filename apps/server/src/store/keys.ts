import { timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { HeadgateError, type Principal } from '@headgate/core'
import { createApiKey, displayPrefix, hashApiKey, randomText } from './api-key.ts'

/** A stored key, without the key. Times are Unix milliseconds. */
export interface StoredKey {
  readonly id: string
  /** Its first characters. */
  readonly prefix: string
  readonly name?: string
  /** The only models it may call. Absent = all; none where `search` or `scopes` say what it may do. */
  readonly models?: readonly string[]
  /** The only search engines and backends it may use. Absent = all; none where `models` or `scopes` say what it may do. */
  readonly search?: readonly string[]
  /** What else it may do. */
  readonly scopes?: readonly string[]
  readonly createdAt: number
  readonly expiresAt?: number
  readonly revokedAt?: number
}

export interface NewKey {
  readonly name?: string | undefined
  readonly models?: readonly string[] | undefined
  readonly search?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
  readonly expiresAt?: number | undefined
}

/** Keys that callers hold. */
export interface KeyStore {
  /** The key itself is known here and never again. */
  create(key: NewKey): { readonly key: string; readonly stored: StoredKey }
  /** In the order of their making, revoked ones included. */
  list(): StoredKey[]
  /** The key that has this id, or else this name; undefined when there is none or more than one. Revoking twice changes nothing. */
  revoke(idOrName: string): StoredKey | undefined
  /**
   * Who holds a key, by its hash; undefined for one that is unknown, expired or revoked. Where the store can not be read, keys that
   * were verified before go on. @throws HeadgateError `internal` for all others: whether they exist, nobody knows.
   */
  holder(hash: Buffer): Principal | undefined
}

/** Most verified keys that are kept in memory. */
const REMEMBERED = 10_000
/** How long they are trusted before the store is asked whether another process changed it, in milliseconds. */
const TRUSTED = 500

type Row = Record<string, unknown>

interface Verified {
  readonly stored: StoredKey
  /** Of the store, as it was then. */
  readonly version: number
}

export function createKeyStore(database: DatabaseSync, now: () => number = Date.now): KeyStore {
  const insert = database.prepare(
    'INSERT INTO keys (id, hash, prefix, name, models, search, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const all = database.prepare('SELECT * FROM keys ORDER BY created_at, rowid')
  const byHash = database.prepare('SELECT * FROM keys WHERE hash = ?')
  const byReference = database.prepare('SELECT * FROM keys WHERE id = ?1 OR (name = ?1 AND NOT EXISTS (SELECT 1 FROM keys WHERE id = ?1))')
  const revoke = database.prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const dataVersion = database.prepare('PRAGMA data_version')

  const verified = new Map<string, Verified>()
  let version = -1
  let checkedAt = Number.NEGATIVE_INFINITY

  /** Notes whether another process has written to the store: what was verified before is then looked up again. */
  const refresh = () => {
    const at = now()
    if (at - checkedAt < TRUSTED) return
    checkedAt = at
    version = Number(dataVersion.get()?.['data_version'])
  }

  const read = (hash: Buffer): StoredKey | undefined => {
    const row = byHash.get(hash)
    if (!row || !(row['hash'] instanceof Uint8Array) || !timingSafeEqual(row['hash'], hash)) return undefined
    return storedKey(row)
  }

  const remember = (id: string, stored: StoredKey) => {
    const [oldest] = verified.keys()
    if (verified.size >= REMEMBERED && oldest !== undefined) verified.delete(oldest)
    verified.set(id, { stored, version })
  }

  const lookUp = (hash: Buffer): StoredKey | undefined => {
    const id = hash.toString('base64')
    try {
      refresh()
      const known = verified.get(id)
      if (known?.version === version) return known.stored
      const stored = read(hash)
      verified.delete(id)
      if (stored) remember(id, stored)
      return stored
    } catch (cause) {
      const known = verified.get(id)
      if (known) return known.stored
      const advice = 'The log says why, and `headgate doctor` what to do.'
      throw new HeadgateError('internal', `The store can not be read, so that this key can not be checked. ${advice}`, { cause })
    }
  }

  return {
    create: ({ name, models, search, scopes, expiresAt }) => {
      const key = createApiKey()
      const id = `key_${randomText(10)}`
      const createdAt = now()
      insert.run(
        id,
        hashApiKey(key),
        displayPrefix(key),
        name ?? null,
        listText(models),
        listText(search),
        listText(scopes),
        createdAt,
        expiresAt ?? null,
      )
      return {
        key,
        stored: {
          id,
          prefix: displayPrefix(key),
          createdAt,
          ...(name && { name }),
          ...(models && { models }),
          ...(search && { search }),
          ...(scopes && { scopes }),
          ...(expiresAt && { expiresAt }),
        },
      }
    },
    list: () => all.all().map(storedKey),
    revoke: (idOrName) => {
      const [row, ...more] = byReference.all(idOrName)
      if (!row || more.length > 0) return undefined
      const stored = storedKey(row)
      verified.clear()
      revoke.run(now(), stored.id)
      return { revokedAt: now(), ...stored }
    },
    holder: (hash) => {
      const stored = lookUp(hash)
      if (!stored || stored.revokedAt !== undefined || (stored.expiresAt !== undefined && stored.expiresAt <= now())) return undefined
      const { id, name, models, search, scopes } = stored
      return { id, ...(name && { name }), ...(models && { models }), ...(search && { search }), ...(scopes && { scopes }) }
    },
  }
}

function listText(names: readonly string[] | undefined): string | null {
  return names ? JSON.stringify(names) : null
}

function storedKey(row: Row): StoredKey {
  const { name, models, search, scopes, expires_at: expiresAt, revoked_at: revokedAt } = row
  return {
    id: String(row['id']),
    prefix: String(row['prefix']),
    createdAt: Number(row['created_at']),
    ...(typeof name === 'string' && { name }),
    ...(typeof models === 'string' && { models: JSON.parse(models) }),
    ...(typeof search === 'string' && { search: JSON.parse(search) }),
    ...(typeof scopes === 'string' && { scopes: JSON.parse(scopes) }),
    ...(typeof expiresAt === 'number' && { expiresAt }),
    ...(typeof revokedAt === 'number' && { revokedAt }),
  }
}

import { hash, randomUUID } from 'node:crypto'
import {
  type ExchangeContext,
  exchangePlaces,
  exchangeWindow,
  NODE_SEEN_MS,
  type NodeShare,
  type PlacesReply,
  type RateExchange,
  type RateExchangeReply,
  type SharedRates,
  type WindowReply,
} from '@headgate/gateway/ports'
import type { ClockParts } from '../budgets/store-time.ts'
import type { StoreConnection } from '../database/connection.ts'
import { LONGEST, storable } from '../database/group.ts'
import { listed } from '../database/listed.ts'
import { runSql, transact, type WriteTransaction } from '../database/transaction.ts'

/**
 * Limits of a transaction that locks rows, in milliseconds: waiting for the rows, and silence of the client. All nodes
 * wait for a node that stops while it has locked them.
 */
const LOCK_MS = 1_000
const SILENT_MS = 2_000
/** Maximum attempts to lock rows, which retention may delete between two of them. */
const TRIES = 5

/** Stored state of a limit: entries of a map, as JSON. */
interface StateTable {
  readonly name: 'rate_windows' | 'rate_places'
  readonly column: 'amounts' | 'places'
}

const WINDOWS: StateTable = { name: 'rate_windows', column: 'amounts' }
const PLACES: StateTable = { name: 'rate_places', column: 'places' }

/** Locked states of limits, by stored key. */
type States<Name, Value> = ReadonlyMap<string, Map<Name, Value>>

interface ExchangeClock extends ExchangeContext {
  /** Nodes with an exchange in the last 10 seconds. */
  readonly nodes: ReadonlySet<string>
}

/**
 * Rate limits that several nodes share, in Postgres. An exchange is one transaction, which locks the rows of all its
 * limits in the order of their keys. Idle rows are deleted by retention.
 */
export function createPostgresRates(parts: ClockParts): SharedRates {
  return { exchange: (exchange) => exchangeRates(parts, exchange) }
}

async function exchangeRates(parts: ClockParts, exchange: RateExchange): Promise<RateExchangeReply> {
  for (let tries = 1; ; tries += 1) {
    const reply = await transact(parts.connection, (trx) => exchangeWithin(parts, trx, exchange))
    if (reply) return reply
    if (tries === TRIES) throw new Error('The rows of a rate limit could not be locked.')
    await addRows(parts.connection, WINDOWS, keysOf(exchange.windows))
    await addRows(parts.connection, PLACES, keysOf(exchange.places))
  }
}

/** Undefined if rows are missing. */
async function exchangeWithin(
  parts: ClockParts,
  trx: WriteTransaction,
  { node, allocationMs, windows, places }: RateExchange,
): Promise<RateExchangeReply | undefined> {
  const { connection } = parts
  const own = storable(node)
  const instance = await enter(parts, trx, own)
  const amounts = await lockStates<number, number>(connection, trx, WINDOWS, keysOf(windows))
  const held = await lockStates<string, NodeShare>(connection, trx, PLACES, keysOf(places))
  if (instance === undefined || !amounts || !held) return undefined
  const clock = await readClock(parts, trx, allocationMs)
  const windowReplies = windows.map((one): WindowReply => exchangeWindow(stateOf(amounts, one), one, clock))
  const place = { node: own, now: clock.now, isSeen: (other: string): boolean => clock.nodes.has(other) }
  const placeReplies = places.map((one): PlacesReply => exchangePlaces(stateOf(held, one), one, place).reply)
  await writeStates(connection, trx, WINDOWS, amounts, clock.now)
  await writeStates(connection, trx, PLACES, held, clock.now)
  return { now: clock.now, instance, nodes: clock.nodes.size, windows: windowReplies, places: placeReplies }
}

/** Registers a node, before any row is locked. Resolves with the id of the data; undefined if it was just created. */
async function enter(parts: ClockParts, trx: WriteTransaction, node: string): Promise<string | undefined> {
  const [row] = await runSql(
    trx,
    `WITH own AS (
       INSERT INTO rate_nodes (node, seen_at) VALUES ($1, ${clockOf(parts)})
       ON CONFLICT (node) DO UPDATE SET seen_at = excluded.seen_at),
     fresh AS (INSERT INTO rate_instance (name, id) VALUES ('rates', $2) ON CONFLICT DO NOTHING RETURNING id)
     SELECT coalesce((SELECT id FROM rate_instance), (SELECT id FROM fresh)) AS instance,
       set_config('lock_timeout', '${LOCK_MS}', true), set_config('idle_in_transaction_session_timeout', '${SILENT_MS}', true)`,
    [node, randomUUID()],
  )
  const { instance } = Object(row)
  return instance === null ? undefined : String(instance)
}

/** Reads the clock after the rows are locked, so that a slot never precedes one of an earlier exchange. */
async function readClock(parts: ClockParts, trx: WriteTransaction, allocationMs: number): Promise<ExchangeClock> {
  const rows = await runSql(
    trx,
    `WITH clock AS MATERIALIZED (SELECT ${clockOf(parts)} AS now)
     SELECT c.now, n.node FROM clock AS c LEFT JOIN rate_nodes AS n ON n.seen_at > c.now - ${NODE_SEEN_MS}`,
  )
  const nodes = new Set(rows.flatMap((row) => Object(row).node ?? []).map(String))
  return { now: Number(Object(rows[0]).now), allocationMs, nodes }
}

/** SQL of the clock that all nodes share, Unix milliseconds. */
function clockOf({ now }: ClockParts): string {
  return now ? `${Math.floor(now())}::int8` : '(extract(epoch FROM clock_timestamp()) * 1000)::int8'
}

async function lockStates<Name, Value>(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  { name, column }: StateTable,
  keys: readonly string[],
): Promise<States<Name, Value> | undefined> {
  if (keys.length === 0) return new Map()
  const rows = await runSql(
    trx,
    `SELECT r.key, r.${column} AS state FROM ${listed(kind, ['key'])} JOIN ${name} AS r ON r.key = w.key
      ORDER BY r.key FOR UPDATE OF r`,
    [JSON.stringify(keys.map((key) => [key]))],
  )
  if (rows.length < keys.length) return undefined
  return new Map(rows.map((row) => [String(Object(row).key), new Map(JSON.parse(Object(row).state))]))
}

async function writeStates<Name, Value>(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  { name, column }: StateTable,
  states: States<Name, Value>,
  now: number,
): Promise<void> {
  if (states.size === 0) return
  const values = [...states].map(([key, state]) => [key, JSON.stringify([...state])])
  await runSql(
    trx,
    `UPDATE ${name} AS r SET ${column} = w.state, used_at = ${now} FROM ${listed(kind, ['key', 'state'])} WHERE r.key = w.key`,
    [JSON.stringify(values)],
  )
}

/** Adds missing rows, in the order of their keys. They are visible to other nodes before they are locked. */
async function addRows({ kind, db }: StoreConnection, { name, column }: StateTable, keys: readonly string[]) {
  if (keys.length === 0) return
  await runSql(
    db,
    `INSERT INTO ${name} (key, ${column}, used_at) SELECT w.key, '[]', ${Date.now()} FROM ${listed(kind, ['key'])}
      ORDER BY 1 ON CONFLICT DO NOTHING`,
    [JSON.stringify(keys.map((key) => [key]))],
  )
}

/** State of a limit, of which all requests with its key see the same. */
function stateOf<Name, Value>(states: States<Name, Value>, { key }: { readonly key: string }): Map<Name, Value> {
  return states.get(storedKey(key)) ?? new Map()
}

/** Distinct stored keys. */
function keysOf(requests: readonly { readonly key: string }[]): string[] {
  return [...new Set(requests.map(({ key }) => storedKey(key)))]
}

/** Key that fits into an index. */
function storedKey(key: string): string {
  return key.length > LONGEST ? hash('sha256', key) : storable(key)
}

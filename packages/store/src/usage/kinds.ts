import { inDollars, OUTCOMES, type RequestOutcome, type UsageRow } from '@headgate/gateway/ports'
import type { Cell } from '../csv.ts'
import { storable } from '../database/group.ts'
import { type Column, type ColumnValue, int, json, maybe, text, uuid } from '../schema/declare.ts'
import { routingText, type StoredRouting } from './row-routing.ts'
import { tagsText } from './row-tags.ts'

/** Type that a query returns for a column. */
export type SelectedValue<C extends Column> =
  | (C extends Column<'int'> ? bigint : string)
  | (C extends Column<C['kind'], true> ? null : never)

/** Storage, reading and export of one kind of value. */
export interface FieldKind<Name extends string, C extends Column, Given, Read> {
  readonly name: Name
  readonly column: C
  write(value: Given): ColumnValue
  read(stored: SelectedValue<C>): Read
  /** CSV cell. */
  cell(value: Read): Cell
}

function kind<const Name extends string, C extends Column, Given, Read>(
  name: Name,
  column: C,
  write: (value: Given) => ColumnValue,
  read: (stored: SelectedValue<C>) => Read,
  cell: (value: Read) => Cell,
): FieldKind<Name, C, Given, Read> {
  return { name, column, write, read, cell }
}

type Maybe<Given> = Given | null | undefined
type Units = Readonly<Record<string, number>>
type StoredTags = Readonly<Record<string, string>>

const same = <Same>(value: Same): Same => value
const orNull = <Same>(value: Maybe<Same>): Same | null => value ?? null
const number = (stored: bigint): number => Number(stored)
const maybeNumber = (stored: bigint | null): number | null => (stored === null ? null : Number(stored))
const jsonCell = (value: object | null): Cell => value && JSON.stringify(value)

/** Kinds of fields. */
export const UUID = kind('uuid', uuid, same<string>, same<string>, same<string>)
export const MAYBE_UUID = kind('maybe-uuid', maybe(uuid), orNull<string>, same<string | null>, same<string | null>)
export const TEXT = kind('text', text, storable, same<string>, same<string>)
export const MAYBE_TEXT = kind('maybe-text', maybe(text), maybeText, same<string | null>, same<string | null>)
/** Outcome of a request. */
export const OUTCOME = kind('outcome', text, same<RequestOutcome>, outcomeIn, same<RequestOutcome>)
export const FLAG = kind('flag', int, (value: boolean | undefined) => Number(value ?? false), isSet, same<boolean>)
/** Unix milliseconds. */
export const TIME = kind('time', int, whole, number, timeText)
/** Milliseconds. */
export const DURATION = kind('duration', int, whole, number, same<number>)
export const MAYBE_DURATION = kind('maybe-duration', maybe(int), whole, maybeNumber, same<number | null>)
/** HTTP status. */
export const STATUS = kind('status', int, same<number>, number, same<number>)
export const MAYBE_STATUS = kind('maybe-status', maybe(int), orNull<number>, maybeNumber, same<number | null>)
/** Null = unknown. */
export const COUNT = kind('count', maybe(int), orNull<number>, maybeNumber, same<number | null>)
/** Nano-dollars, read as a decimal string; null = unknown. */
export const MONEY = kind('money', maybe(int), moneyValue, moneyText, dollars)
export const UNIT_COUNTS = kind(
  'units',
  maybe(json),
  unitsText,
  (stored) => parsed<Units | null>(stored, null),
  jsonCell,
)
export const TAGS = kind(
  'tags',
  maybe(json),
  (tags: UsageRow['tags']) => tagsText({ tags }),
  (stored) => parsed<StoredTags | null>(stored, null),
  jsonCell,
)
export const ROUTING = kind(
  'routing',
  maybe(json),
  routingText,
  (stored) => parsed<StoredRouting | null>(stored, null),
  jsonCell,
)
export const LOSSES = kind(
  'losses',
  maybe(json),
  (losses: readonly unknown[]) => (losses.length > 0 ? storable(JSON.stringify(losses)) : null),
  (stored) => parsed<readonly unknown[]>(stored, []),
  (losses) => (losses.length > 0 ? JSON.stringify(losses) : null),
)

/** Time in whole milliseconds; null for any other value, which a column without null rejects. */
export function whole(time: number | undefined): number | null {
  return Number.isFinite(time) ? Math.round(Number(time)) : null
}

function maybeText(value: Maybe<string>): string | null {
  return value === null || value === undefined ? null : storable(value)
}

/** An outcome of another version is unknown here. */
function outcomeIn(stored: string): RequestOutcome {
  return OUTCOMES.find((outcome) => outcome === stored) ?? 'failed'
}

function isSet(stored: bigint): boolean {
  return stored !== 0n
}

function moneyValue(amount: Maybe<number | string>): number | bigint | null {
  return typeof amount === 'string' ? BigInt(amount) : (amount ?? null)
}

function moneyText(stored: bigint | null): string | null {
  return stored === null ? null : String(stored)
}

function unitsText(units: Units | undefined): string | null {
  return units ? storable(JSON.stringify(units)) : null
}

/** Parsed JSON; `none` if the string is not valid JSON. */
function parsed<Read>(stored: string | null, none: Read): Read {
  if (stored === null) return none
  try {
    return JSON.parse(stored)
  } catch {
    return none
  }
}

function dollars(nanos: string | null): string | null {
  if (nanos === null) return null
  return nanos.startsWith('-') ? `-${inDollars(BigInt(nanos.slice(1)))}` : inDollars(BigInt(nanos))
}

/** ISO 8601 string, or the number itself if it is outside the range of dates. */
function timeText(at: number): string | number {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : at
}

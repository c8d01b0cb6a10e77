import { randomUUID } from 'node:crypto'
import { type FailureWords, type RefusalRecord, type RefusalSink, uuidv7 } from '@headgate/gateway/ports'
import { hourAt } from '../database/zone.ts'
import type { Secret } from '../secret/secret.ts'
import type {
  RecordedRefusal,
  RefusalBatch,
  RefusalCount,
  SealedMessages,
  SealedWords,
  UnauthenticatedCount,
} from './batch.ts'

/** Store of requests without calls, and of messages. */
export interface RefusalStore {
  /** Writes a batch once, however often it is passed. */
  add(batch: RefusalBatch): Promise<void>
  /** Encrypted messages of a request; undefined without messages, or after they were deleted. */
  words(requestId: string): Promise<SealedWords | undefined>
  /** Encrypted sentences, among them the one of a request without a call. */
  message(row: { readonly at: number; readonly id: string }): Promise<SealedMessages | undefined>
  /** Sets the function that writes what is not stored yet. It runs before usage is read, and never rejects. */
  beforeReads(write: () => Promise<void>): void
}

/** Messages of a request. */
export interface ReadWords {
  /** Sentence that the caller got; absent if the request was served. */
  readonly message?: string | undefined
  /** Messages of the calls, in their order; undefined = it did not fail. */
  readonly attempts: readonly (string | undefined)[]
}

/** Request whose messages are read. */
export interface WordsQuery {
  readonly requestId: string
  /** Id and start of its row. */
  readonly id: string
  readonly at: number
}

/** Records of requests without calls, and messages of failures, stored encrypted. */
export interface RefusalBook extends RefusalSink {
  /** Messages of a request; undefined without messages, or after they were deleted. */
  read(request: WordsQuery): Promise<ReadWords | undefined>
  /** Writes what is not stored yet. Never rejects. */
  write(): Promise<void>
}

export interface RefusalBookParts {
  readonly store: { readonly refusals: RefusalStore }
  readonly secret: Secret
  onWarning(message: string): void
  /** Milliseconds between writes; default 1,000. */
  readonly every?: number | undefined
  /** Monotonic clock in milliseconds. */
  readonly clock?: (() => number) | undefined
}

const MINUTE = 60_000
/** Time that messages are stored, in milliseconds. */
const WORDS_KEPT = 86_400_000
const EVERY = 1_000
const SECOND = 1_000
/** Maximum number of recorded requests per second: per key and kind of failure, and of all. */
const MOST_ALIKE = 10
const MOST_ROWS = 50
/** Maximum number of requests per second whose messages are stored. */
const MOST_WORDS = 100
/** Maximum number of requests to store while the store is away. */
const MOST_PENDING = 1_000
/** Maximum number of combinations of key, model and kind, and of addresses, between two writes. */
const COMBINATIONS = 2_000
const ADDRESSES = 1_000
/** Maximum length of a name. */
const LONGEST = 200
/** Maximum length of a message. */
const MESSAGE = 2_000

/** Records that are not stored yet. */
interface PendingRecords {
  readonly rows: RefusalRecord[]
  readonly counts: Map<string, RefusalCount>
  readonly unauthenticated: Map<string, UnauthenticatedCount>
  readonly words: FailureWords[]
}

function nothing(): PendingRecords {
  return { rows: [], counts: new Map(), unauthenticated: new Map(), words: [] }
}

/** Numbers of recorded requests within a second. */
interface RecordedSecond {
  /** Start, by the monotonic clock. */
  readonly begun: number
  /** Number by key and kind of failure. */
  readonly alike: Map<string, number>
  rows: number
  words: number
}

function beginSecond(begun: number): RecordedSecond {
  return { begun, alike: new Map(), rows: 0, words: 0 }
}

export function createRefusalBook(parts: RefusalBookParts): RefusalBook {
  const { store, secret, onWarning, every = EVERY, clock = monotonic } = parts
  const keys = secret.subKeys('words')
  const seal = (value: object, about: string): string => keys.seal(Buffer.from(JSON.stringify(value)), about)
  const id = randomUUID()
  let second = beginSecond(Number.NEGATIVE_INFINITY)
  let records = nothing()
  let timer: NodeJS.Timeout | undefined
  const batches = createBatchWriter(store.refusals, (number) => {
    if (isEmpty(records)) return undefined
    const batch = batchOf(records, { book: id, number }, seal)
    records = nothing()
    return batch
  })
  const begin = (): void => {
    timer ??= setTimeout(() => void write(), every).unref()
  }
  const write = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const problem = await batches.write()
    if (!problem) return
    begin()
    if (problem.isFirst) onWarning(`Refused requests could not be stored and are retried: ${problem.why}`)
  }
  const thisSecond = (): RecordedSecond => {
    const now = clock()
    if (now - second.begun >= SECOND) second = beginSecond(now)
    return second
  }

  const book: RefusalBook = {
    refused(refusal) {
      begin()
      const isRecorded = countRefusal(records.counts, thisSecond(), refusal)
      if (isRecorded && records.rows.length < MOST_PENDING) records.rows.push(refusal)
    },
    unauthenticated(refusal) {
      begin()
      countUnauthenticated(records.unauthenticated, refusal)
    },
    words(words) {
      const current = thisSecond()
      if (current.words >= MOST_WORDS || records.words.length >= MOST_PENDING) return
      current.words += 1
      begin()
      records.words.push(words)
    },
    async read({ requestId, id, at }) {
      await write()
      const words = await store.refusals.words(requestId)
      if (words) return wordsIn(keys.open(words.sealed, requestId))
      const messages = await store.refusals.message({ at, id })
      const opened = messages && keys.open(messages.sealed, messages.id)
      return opened && { message: messageIn(opened, requestId), attempts: [] }
    },
    write,
  }
  store.refusals.beforeReads(write)
  return book
}

/** Writer of batches, one after the other. */
interface BatchWriter {
  /** Writes what is not stored yet. Resolves with the problem if that failed. */
  write(): Promise<{ readonly why: string; readonly isFirst: boolean } | undefined>
}

/** @param take takes the records for the batch with this number; undefined = there are no records */
function createBatchWriter(
  refusals: Pick<RefusalStore, 'add'>,
  take: (number: number) => RefusalBatch | undefined,
): BatchWriter {
  let number = 0
  /** Batch that the store has not confirmed. It is repeated unchanged, so that nothing counts twice. */
  let pending: RefusalBatch | undefined
  let isFailing = false
  let previous: Promise<unknown> = Promise.resolve()
  const writeAll = async (): ReturnType<BatchWriter['write']> => {
    try {
      for (let batch = pending ?? take(number + 1); batch; batch = take(number + 1)) {
        number = batch.number
        pending = batch
        await refusals.add(batch)
        pending = undefined
      }
      isFailing = false
      return undefined
    } catch (error) {
      const isFirst = !isFailing
      isFailing = true
      return { why: String(error), isFirst }
    }
  }
  return {
    write() {
      const next = previous.then(writeAll)
      previous = next
      return next
    },
  }
}

function batchOf(
  { rows, counts, unauthenticated, words }: PendingRecords,
  name: Pick<RefusalBatch, 'book' | 'number'>,
  seal: (value: object, about: string) => string,
): RefusalBatch {
  return {
    ...name,
    rows: rows.map(recordOf),
    messages: rows.length > 0 ? messagesOf(rows, seal) : undefined,
    counts: [...counts.values()],
    unauthenticated: [...unauthenticated.values()],
    words: words.map(({ requestId, principal, startedAt, message, attempts }) => ({
      requestId,
      key: principal,
      at: startedAt,
      endsAt: Date.now() + WORDS_KEPT,
      sealed: seal({ message, attempts: attempts.map((text) => text ?? null) }, requestId),
    })),
  }
}

function monotonic(): number {
  return performance.now()
}

function isEmpty({ counts, unauthenticated, words }: PendingRecords): boolean {
  return counts.size === 0 && unauthenticated.size === 0 && words.length === 0
}

/** Counts a request. True if it belongs to the recorded sample. */
function countRefusal(counts: Map<string, RefusalCount>, second: RecordedSecond, refusal: RefusalRecord): boolean {
  const { principal, failure, startedAt, requestId } = refusal
  const group = `${principal}\n${failure}`
  const before = second.alike.get(group) ?? 0
  const isRecorded = before < MOST_ALIKE && second.rows < MOST_ROWS
  if (isRecorded) {
    second.alike.set(group, before + 1)
    second.rows += 1
  }
  const minute = startedAt - (startedAt % MINUTE)
  const given = refusal.model.length > LONGEST ? refusal.model.slice(0, LONGEST) : refusal.model
  let key = `${minute}\n${group}\n${given}`
  let count = counts.get(key)
  if (count === undefined) {
    const model = counts.size < COMBINATIONS ? given : ''
    key = `${minute}\n${group}\n${model}`
    count = counts.get(key)
    if (count === undefined) {
      count = { minute, principal, model, failure, requests: 0, newest: '' }
      counts.set(key, count)
    }
  }
  count.requests += 1
  if (isRecorded && requestId > count.newest) count.newest = requestId
  return isRecorded
}

function countUnauthenticated(
  counts: Map<string, UnauthenticatedCount>,
  { address = '', reason, at }: Parameters<RefusalSink['unauthenticated']>[0],
): void {
  const hour = hourAt(at)
  const known = counts.get(`${hour}\n${address}\n${reason}`)
  const named = known || counts.size < ADDRESSES ? address : ''
  const key = `${hour}\n${named}\n${reason}`
  const count = known ?? counts.get(key) ?? { hour, address: named, reason, requests: 0, lastAt: 0 }
  counts.set(key, count)
  count.requests += 1
  count.lastAt = at
}

function recordOf({ message: _, ...refusal }: RefusalRecord): RecordedRefusal {
  return { ...refusal, id: refusal.id ?? uuidv7(refusal.startedAt) }
}

/** Sentences of requests by id, encrypted together: a cipher costs more than a thousand sentences. */
function messagesOf(rows: readonly RefusalRecord[], seal: (value: object, about: string) => string): SealedMessages {
  const id = randomUUID()
  const messages = Object.fromEntries(rows.map(({ requestId, message }) => [requestId, message.slice(0, MESSAGE)]))
  return { id, at: Math.max(...rows.map(({ startedAt }) => startedAt)), sealed: seal(messages, id) }
}

function messageIn(bytes: Buffer, requestId: string): string | undefined {
  const messages: Readonly<Record<string, string>> = JSON.parse(bytes.toString())
  return messages[requestId]
}

function wordsIn(bytes: Buffer | undefined): ReadWords | undefined {
  if (!bytes) return undefined
  const { message, attempts }: { message?: string; attempts: readonly (string | null)[] } = JSON.parse(bytes.toString())
  return { message, attempts: attempts.map((text) => text ?? undefined) }
}

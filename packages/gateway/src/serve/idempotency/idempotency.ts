import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HeadgateError } from '@headgate/core/errors'
import { takeTurn } from '#transport'
import { LARGE_BODY } from '../../http/turns.ts'
import type {
  ExecutionRecord,
  IdempotencyOptions,
  IdempotencyStore,
  IdempotentExecution,
} from '../../ports/idempotency.ts'
import { memoryIdempotency } from './memory.ts'
import { decodeOutcome, encodeOutcome, type IdempotentOutcome } from './outcome.ts'

/** Name of the header. */
export const KEY_HEADER = 'idempotency-key'

const DAY_MS = 86_400_000
const RESPONSE_BYTES = 8 * 1024 * 1024
/** Pauses between tries to store an outcome, and the maximum time that requests wait for it, in milliseconds. */
const STORE_RETRIES_MS = [100, 300, 1_000]
const MAX_STORE_WAIT_MS = 5_000

/** Facts that identify a request. */
export interface IdentifiedRequest {
  /** Id of the principal. */
  readonly principal: string
  readonly key: string
  /** The `x-request-id`. */
  readonly requestId: string
  /** Digest of method, path, query and body. */
  readonly digest: Buffer
}

/** An execution with the digest of its request. */
export interface KnownExecution extends IdempotentExecution {
  readonly digest: Buffer
}

/** Executions of requests with idempotency keys. */
export interface Idempotency {
  /** Maximum bytes of a stored response. */
  readonly responseBytes: number
  executionOf(request: IdentifiedRequest): KnownExecution
  /**
   * Begins an execution.
   * @returns undefined if it has begun; otherwise the outcome of the earlier one, or `running`
   * @throws HeadgateError `conflict` if the earlier request is different, `unavailable` if the store does not answer
   */
  begin(execution: KnownExecution, runMs: number): Promise<IdempotentOutcome | 'running' | undefined>
  /** Looks an execution up, as `begin` does; undefined = it does not exist. */
  find(execution: KnownExecution): Promise<IdempotentOutcome | 'running' | undefined>
  /** Stores an outcome. Resolves when it is stored, or cannot be stored in time. Never rejects. */
  finish(execution: IdempotentExecution, outcome: IdempotentOutcome): Promise<void>
  /** Allows another execution. Resolves and never rejects, like `finish`. */
  drop(execution: IdempotentExecution): Promise<void>
  /**
   * Calls back once when an execution of this process ends.
   * @returns a function that stops watching
   */
  watch(id: string, callback: () => void): () => void
  /** Resolves when all outcomes so far are stored. */
  settled(): Promise<void>
}

/** Creates the handling of requests with idempotency keys. */
export function createIdempotency(options: IdempotencyOptions, warn: (message: string) => void): Idempotency {
  const { store: records = memoryIdempotency(), sealer, keepMs = DAY_MS, responseBytes = RESPONSE_BYTES } = options
  const seal = (plain: Buffer, about: string): string => sealer?.seal(plain, about) ?? plain.toString('base64')
  const open = (sealed: string, about: string): Uint8Array | undefined =>
    sealer ? sealer.open(sealed, about) : Buffer.from(sealed, 'base64')
  const watchers = new Map<string, Set<() => void>>()
  const pending = new Set<Promise<void>>()

  const outcomeOf = async (
    { id, digest }: KnownExecution,
    record: ExecutionRecord | undefined,
  ): Promise<IdempotentOutcome | 'running' | undefined> => {
    if (!record) return undefined
    const { request, outcome } = record
    const first = open(request, aboutRequest(id))
    if (!first) return { lost: 'unreadable' }
    if (!digest.equals(first)) throw different()
    if (outcome === undefined) return 'running'
    if (outcome === null) return { lost: 'removed' }
    const read = (): IdempotentOutcome => {
      const bytes = open(outcome, id)
      return bytes ? decodeOutcome(bytes) : { lost: 'unreadable' }
    }
    return outcome.length < LARGE_BODY ? read() : takeTurn(read)
  }
  const ended = (work: Promise<void>, id: string): Promise<void> => {
    const done: Promise<void> = inTime(work).finally(() => {
      pending.delete(done)
      for (const callback of watchers.get(id) ?? []) callback()
    })
    pending.add(done)
    return done
  }
  return {
    responseBytes,
    executionOf({ principal, key, requestId, digest }) {
      const id = createHash('sha256')
        .update(JSON.stringify([principal, key]))
        .digest('base64url')
      return { id, run: requestId, request: seal(digest, aboutRequest(id)), digest }
    },
    async begin(execution, runMs) {
      const { id, run, request } = execution
      const record = await answered(records.begin({ id, run, request }, runMs)).catch((error: unknown) => {
        // It may have begun, and no one would end it.
        void ended(dropOnce(records, { id, run }), id)
        throw error
      })
      return outcomeOf(execution, record)
    },
    async find(execution) {
      return outcomeOf(execution, await answered(records.find(execution.id)))
    },
    finish({ id, run }, outcome) {
      const encode = (): string => seal(encodeOutcome(outcome), id)
      const isLarge = 'body' in outcome && outcome.body.length >= LARGE_BODY
      let sealed: string | undefined
      const store = async (): Promise<void> => {
        sealed ??= isLarge ? await takeTurn(encode) : encode()
        await records.finish({ id, run }, sealed, keepMs)
      }
      return ended(persisted(store, warn), id)
    },
    drop: ({ id, run }) =>
      ended(
        persisted(() => records.drop({ id, run }), warn),
        id,
      ),
    watch(id, callback) {
      const own = watchers.get(id) ?? new Set<() => void>()
      watchers.set(id, own.add(callback))
      return () => {
        if (own.delete(callback) && own.size === 0) watchers.delete(id)
      }
    },
    async settled() {
      await Promise.all(pending)
    },
  }
}

/** Binds the digest of a request to its record, but not to its outcome. */
function aboutRequest(id: string): string {
  return `request ${id}`
}

function different(): HeadgateError {
  return new HeadgateError(
    'conflict',
    'The idempotency-key was used with another method, path or body. Send a new key for a new request.',
    { param: KEY_HEADER },
  )
}

/** @throws HeadgateError `unavailable` if the store fails */
async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    throw new HeadgateError(
      'unavailable',
      'The gateway cannot check the idempotency-key now, so the request was not executed. Try again later.',
      { cause, retryAfterMs: 1_000 },
    )
  }
}

/** Removes a record whose creation failed. One try is enough: the record expires with the deadline of its request. */
async function dropOnce(records: IdempotencyStore, execution: Pick<IdempotentExecution, 'id' | 'run'>): Promise<void> {
  await records.drop(execution).catch(() => {})
}

/** Changes the store, with retries. Never rejects. */
async function persisted(act: () => Promise<void>, warn: (message: string) => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await act()
    } catch (error) {
      const pause = STORE_RETRIES_MS[tries]
      if (pause === undefined) {
        const reason = error instanceof Error ? error.message : String(error)
        return warn(`The response of a request with an idempotency key could not be stored: ${reason}`)
      }
      await sleep(pause, undefined, { ref: false })
    }
  }
}

/** Resolves when work is done, or when requests cannot wait for it any longer. */
async function inTime(work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MAX_STORE_WAIT_MS).unref()
  await Promise.race([work, promise])
  clearTimeout(timer)
}

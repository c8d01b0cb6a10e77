import { isObject, type Json, number, parseExact, text } from '@headgate/core/canonical'
import type { Principal } from '../../ports/ledger.ts'
import type {
  ResponseOptions,
  ResponseQuota,
  ResponseVisibility,
  SharedUse,
  StoredResponse,
} from '../../ports/responses.ts'
import type { Context } from '../context.ts'
import { memoryResponses } from './memory.ts'

const DAY_MS = 86_400_000
const DEFAULT_QUOTA: ResponseQuota = { count: 1_000, bytes: 64 * 1024 * 1024 }
/** Retention of responses that vendors store. */
const VENDOR_RETENTION_MS = 30 * DAY_MS

/** Stored content: the whole request and the response. */
export interface ResponseContent {
  readonly input: readonly unknown[]
  readonly answer: Json
  /** Set while the response is being generated: time until which its process is presumed alive. */
  readonly aliveUntil?: number
  /** Events of a background stream; empty until the stream has ended. */
  readonly events?: string
}

/** Facts about a response that are recorded. */
export type RecordedResponse = Pick<StoredResponse, 'id' | 'model' | 'items'>

/** Responses that requests can name. */
export interface StoredResponses {
  /** Retention of responses that the gateway stores, in milliseconds. False = they are not stored. */
  readonly keepMs: number | false
  /** True if unknown ids are sent to the provider. */
  readonly allowsForeignIds: boolean
  /** Responses that the caller can name, by each of the ids that name them. */
  find(principal: Principal, ids: readonly string[]): Promise<ReadonlyMap<string, StoredResponse>>
  /**
   * Ids among these that are known here, of any owner. If {@link find} did not return them, the caller must not name
   * them.
   */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Records the use of responses of other owners in the caller's project.
   * @returns a promise to wait for; undefined = nothing
   */
  auditUse(context: Context, answers: Iterable<StoredResponse>, use: SharedUse['use']): Promise<unknown> | undefined
  /**
   * Records the provider that stores a response. Never rejects: a response that could not be recorded cannot be named.
   */
  recordAt(principal: Principal, provider: string, answer: RecordedResponse): Promise<void>
  /** Stores a response. Never rejects. */
  add(principal: Principal, answer: RecordedResponse, kept: ResponseContent): Promise<void>
  /** Stored content of a response; undefined if it has expired. */
  read(answer: StoredResponse): ResponseContent | undefined
  remove(answer: StoredResponse): Promise<boolean>
}

/**
 * Owner of a response: all keys of a person in a project, all service keys of a project, or the key alone. An owner in
 * brackets is never the id of a key.
 */
function ownerOf({ id, owners, service }: Principal): string {
  const { project = '', member } = owners ?? {}
  if (member !== undefined) return JSON.stringify(['person', project, member])
  return service && project !== '' ? JSON.stringify(['project', project]) : id
}

function visibilityOf(principal: Principal): ResponseVisibility {
  const project = principal.sharesResponses ? principal.owners?.project : undefined
  return { owner: ownerOf(principal), ...(project !== undefined && { project }) }
}

const NONE: ReadonlyMap<string, StoredResponse> = new Map()
const NO_IDS: ReadonlySet<string> = new Set()

export function createStoredResponses(options: ResponseOptions = {}, warn: (message: string) => void): StoredResponses {
  const { store = memoryResponses(), sealer, keepMs = DAY_MS, foreignIds = 'refuse', audit } = options
  const room = { ...DEFAULT_QUOTA, ...options.room }
  if (foreignIds === 'allow')
    warn(
      'Callers can use files, caches, containers and responses of other callers at a provider, because responses.foreignIds is "allow".',
    )
  const put = (
    principal: Principal,
    { id, model, items }: RecordedResponse,
    rest: Pick<StoredResponse, 'provider' | 'data'>,
    ms: number,
  ) => {
    const createdAt = Date.now()
    const project = principal.owners?.project
    const whose = { owner: ownerOf(principal), key: principal.id, ...(project !== undefined && { project }) }
    return store
      .put(Object.assign({ id, model, createdAt, keptUntil: createdAt + ms, items }, whose, rest), room)
      .catch((error: unknown) => {
        warn(
          `A response could not be recorded, so no later request can name it: ${error instanceof Error ? error.message : String(error)}`,
        )
      })
  }
  const sealed = (id: string, kept: ResponseContent): string | undefined => {
    const plain = Buffer.from(JSON.stringify(kept))
    // A response that takes more than half of the quota is recorded, but its content is not stored.
    if (plain.length > room.bytes / 2) return undefined
    return sealer ? sealer.seal(plain, id) : plain.toString('utf8')
  }
  return {
    keepMs,
    allowsForeignIds: foreignIds === 'allow',
    async find(principal, ids) {
      if (ids.length === 0) return NONE
      const wanted = new Set(ids)
      const found = new Map<string, StoredResponse>()
      const sight = visibilityOf(principal)
      // The caller's own responses take precedence over shared ones.
      for (const answer of await store.find(sight, [...wanted]))
        for (const name of [answer.id, ...answer.items])
          if (wanted.has(name) && (answer.owner === sight.owner || !found.has(name))) found.set(name, answer)
      return found
    },
    async known(ids) {
      return ids.length === 0 ? NO_IDS : new Set(await store.known(ids))
    },
    auditUse({ principal, id: requestId, incoming: { address } }, answers, use) {
      if (!audit || !principal.sharesResponses) return undefined
      const own = ownerOf(principal)
      const others = [...new Set(answers)].filter(({ owner }) => owner !== own)
      if (others.length === 0) return undefined
      return Promise.all(
        others.map(({ id, key, owner }) => audit({ principal, answer: { id, key, owner }, use, requestId, address })),
      )
    },
    recordAt: (principal, provider, answer) => put(principal, answer, { provider }, VENDOR_RETENTION_MS),
    add(principal, answer, kept) {
      const data = keepMs === false ? undefined : sealed(answer.id, kept)
      return put(principal, answer, data === undefined ? {} : { data }, keepMs || 0)
    },
    read({ id, data, keptUntil }) {
      if (data === undefined || keptUntil <= Date.now()) return undefined
      const plain = sealer ? sealer.open(data, id) : Buffer.from(data)
      const kept = plain && parseExact(Buffer.from(plain).toString('utf8'), '')
      if (!isObject(kept) || !Array.isArray(kept['input']) || !isObject(kept['answer'])) return undefined
      const aliveUntil = number(kept['aliveUntil'])
      const events = text(kept['events'])
      return {
        input: kept['input'],
        answer: kept['answer'],
        ...(aliveUntil !== undefined && { aliveUntil }),
        ...(events !== undefined && { events }),
      }
    },
    remove: ({ owner, id }) => store.remove(owner, id),
  }
}

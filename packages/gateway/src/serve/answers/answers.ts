import { isObject, type Json, number, parseExact, text } from '@headgate/core/canonical'
import type { AnswerOptions, AnswerRoom, AnswerSight, KeptAnswer, SharedUse } from '../../ports/answers.ts'
import type { Principal } from '../../ports/ledger.ts'
import type { Context } from '../context.ts'
import { memoryAnswers } from './memory.ts'

const DAY_MS = 86_400_000
const ROOM: AnswerRoom = { count: 1_000, bytes: 64 * 1024 * 1024 }
/** How long vendors keep what lives with them. */
const ELSEWHERE_MS = 30 * DAY_MS

/** What was asked, all of it, and what was answered. */
export interface Kept {
  readonly input: readonly unknown[]
  readonly answer: Json
  /** Of one that is still made: until when its process has said that it works on it. */
  readonly aliveUntil?: number
  /** Events of a stream that is made in the background; empty until it has ended. */
  readonly events?: string
}

/** What is to be recorded of an answer. */
export type Recorded = Pick<KeptAnswer, 'id' | 'model' | 'items'>

/** The answers that requests may name. */
export interface Answers {
  /** How long those that live here are kept, in milliseconds. */
  readonly keepMs: number | false
  /** Whether ids that nobody here made go up as well. */
  readonly takesForeign: boolean
  /** Those that the caller may name, by each id that names them. */
  find(principal: Principal, ids: readonly string[]): Promise<ReadonlyMap<string, KeptAnswer>>
  /** Which of these ids belong to somebody here. The caller may not name them if {@link find} has not found them. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Records a use of what belongs to others in the caller's project. @returns what has to be waited for; undefined if
   * nothing.
   */
  noteUse(context: Context, answers: Iterable<KeptAnswer>, use: SharedUse['use']): Promise<unknown> | undefined
  /** Records where an answer lives. Never rejects: one that could not be recorded can not be named. */
  livesAt(principal: Principal, provider: string, answer: Recorded): Promise<void>
  /** Keeps an answer here. Never rejects. */
  keep(principal: Principal, answer: Recorded, kept: Kept): Promise<void>
  /** What was kept; undefined where it is no longer. */
  read(answer: KeptAnswer): Kept | undefined
  remove(answer: KeptAnswer): Promise<boolean>
}

/**
 * To whom an answer belongs: to all keys of one person in a project, to all service keys of a project, or to the key
 * alone. Texts in brackets are no ids of keys.
 */
function ownerOf({ id, owners, service }: Principal): string {
  const { project = '', member } = owners ?? {}
  if (member !== undefined) return JSON.stringify(['person', project, member])
  return service && project !== '' ? JSON.stringify(['project', project]) : id
}

function sightOf(principal: Principal): AnswerSight {
  const project = principal.sharesResponses ? principal.owners?.project : undefined
  return { owner: ownerOf(principal), ...(project !== undefined && { project }) }
}

const NONE: ReadonlyMap<string, KeptAnswer> = new Map()
const NO_IDS: ReadonlySet<string> = new Set()

export function createAnswers(options: AnswerOptions = {}, warn: (message: string) => void): Answers {
  const { store = memoryAnswers(), sealer, keepMs = DAY_MS, foreignIds = 'refuse', audit } = options
  const room = { ...ROOM, ...options.room }
  if (foreignIds === 'allow')
    warn(
      'Callers may name files, caches, containers and answers of other callers at a provider: responses.foreignIds is "allow".',
    )
  const put = (
    principal: Principal,
    { id, model, items }: Recorded,
    rest: Pick<KeptAnswer, 'provider' | 'data'>,
    ms: number,
  ) => {
    const createdAt = Date.now()
    const project = principal.owners?.project
    const whose = { owner: ownerOf(principal), key: principal.id, ...(project !== undefined && { project }) }
    return store
      .put(Object.assign({ id, model, createdAt, keptUntil: createdAt + ms, items }, whose, rest), room)
      .catch((error: unknown) => {
        warn(
          `An answer could not be recorded, so no later request can name it: ${error instanceof Error ? error.message : String(error)}`,
        )
      })
  }
  const sealed = (id: string, kept: Kept): string | undefined => {
    const plain = Buffer.from(JSON.stringify(kept))
    // An answer that leaves no room for any other is recorded, and not kept.
    if (plain.length > room.bytes / 2) return undefined
    return sealer ? sealer.seal(plain, id) : plain.toString('utf8')
  }
  return {
    keepMs,
    takesForeign: foreignIds === 'allow',
    async find(principal, ids) {
      if (ids.length === 0) return NONE
      const wanted = new Set(ids)
      const found = new Map<string, KeptAnswer>()
      const sight = sightOf(principal)
      // What is the caller's own comes before what others share.
      for (const answer of await store.find(sight, [...wanted]))
        for (const name of [answer.id, ...answer.items])
          if (wanted.has(name) && (answer.owner === sight.owner || !found.has(name))) found.set(name, answer)
      return found
    },
    async known(ids) {
      return ids.length === 0 ? NO_IDS : new Set(await store.known(ids))
    },
    noteUse({ principal, id: requestId, incoming: { address } }, answers, use) {
      if (!audit || !principal.sharesResponses) return undefined
      const own = ownerOf(principal)
      const others = [...new Set(answers)].filter(({ owner }) => owner !== own)
      if (others.length === 0) return undefined
      return Promise.all(
        others.map(({ id, key, owner }) => audit({ principal, answer: { id, key, owner }, use, requestId, address })),
      )
    },
    livesAt: (principal, provider, answer) => put(principal, answer, { provider }, ELSEWHERE_MS),
    keep(principal, answer, kept) {
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

import { parseExact } from '../../canonical/exact.ts'
import { isObject, type Json, number } from '../../canonical/json.ts'
import type { AnswerOptions, AnswerRoom, KeptAnswer } from '../../contract/answers.ts'
import type { Principal } from '../../contract/ledger.ts'
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
}

/** What is to be recorded of an answer. */
export type Recorded = Pick<KeptAnswer, 'id' | 'model' | 'items'>

/** The answers that requests may name. */
export interface Answers {
  /** How long those that live here are kept, in milliseconds. */
  readonly keepMs: number | false
  /** Whether ids that nobody here made go up as well. */
  readonly takesForeign: boolean
  /** Those of the caller's project by each id that names them. */
  find(principal: Principal, ids: readonly string[]): Promise<ReadonlyMap<string, KeptAnswer>>
  /** Records where an answer lives. Never rejects: one that could not be recorded can not be named. */
  livesAt(principal: Principal, provider: string, answer: Recorded): Promise<void>
  /** Keeps an answer here. Never rejects. */
  keep(principal: Principal, answer: Recorded, kept: Kept): Promise<void>
  /** What was kept; undefined where it is no longer. */
  read(answer: KeptAnswer): Kept | undefined
  remove(principal: Principal, id: string): Promise<boolean>
}

/** To whom an answer is there. */
function ownerOf({ id, owners }: Principal): string {
  return owners?.project ?? id
}

const NONE: ReadonlyMap<string, KeptAnswer> = new Map()

export function createAnswers(options: AnswerOptions = {}, warn: (message: string) => void): Answers {
  const { store = memoryAnswers(), sealer, keepMs = DAY_MS, foreignIds = 'refuse' } = options
  const room = { ...ROOM, ...options.room }
  if (foreignIds === 'allow')
    warn('Callers may name files, caches, containers and answers of other callers at a provider: responses.foreignIds is "allow".')
  const put = (principal: Principal, { id, model, items }: Recorded, rest: Pick<KeptAnswer, 'provider' | 'data'>, ms: number) => {
    const createdAt = Date.now()
    const answer = { id, owner: ownerOf(principal), key: principal.id, model, createdAt, keptUntil: createdAt + ms, items, ...rest }
    return store.put(answer, room).catch((error: unknown) => {
      warn(`An answer could not be recorded, so no later request can name it: ${error instanceof Error ? error.message : String(error)}`)
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
      for (const answer of await store.find(ownerOf(principal), [...wanted]))
        for (const name of [answer.id, ...answer.items]) if (wanted.has(name)) found.set(name, answer)
      return found
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
      return { input: kept['input'], answer: kept['answer'], ...(aliveUntil !== undefined && { aliveUntil }) }
    },
    remove: (principal, id) => store.remove(ownerOf(principal), id),
  }
}

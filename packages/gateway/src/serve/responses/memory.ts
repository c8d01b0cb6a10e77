import type { ResponseQuota, ResponseStore, StoredResponse } from '../../ports/responses.ts'

/** Maximum number of recorded responses of all keys, including responses that providers store. */
const MAX_RESPONSES = 100_000

const keyOf = (owner: string, id: string): string => JSON.stringify([owner, id])

/**
 * Creates a store of responses that is kept in memory. Use it if you embed the gateway without a store, and in tests.
 *
 * @example
 * ```ts
 * const responses = { store: memoryResponses(), keepMs: 3_600_000 }
 * const gateway = createGateway({ providers, authenticate, responses })
 * ```
 */
export function memoryResponses(): ResponseStore {
  /** Oldest first. */
  const answers = new Map<string, StoredResponse>()
  /** Key in `answers`, by item. */
  const items = new Map<string, string>()
  /** Stored responses by the key that created them, oldest first. */
  const ofKey = new Map<string, Set<string>>()

  /** Number of responses of each owner, by project. */
  const ofProject = new Map<string, Map<string, number>>()

  const count = ({ project, owner }: StoredResponse, change: 1 | -1): void => {
    if (project === undefined) return
    const owners = ofProject.get(project) ?? new Map<string, number>()
    const left = (owners.get(owner) ?? 0) + change
    if (left > 0) ofProject.set(project, owners.set(owner, left))
    else if (owners.delete(owner) && owners.size === 0) ofProject.delete(project)
  }
  const forget = (at: string): boolean => {
    const answer = answers.get(at)
    if (!answer) return false
    for (const item of answer.items) items.delete(keyOf(answer.owner, item))
    const own = ofKey.get(answer.key)
    if (own?.delete(at) && own.size === 0) ofKey.delete(answer.key)
    count(answer, -1)
    return answers.delete(at)
  }
  const removeOldest = (key: string, room: ResponseQuota): void => {
    const own = [...(ofKey.get(key) ?? [])]
    let { length: count } = own
    let bytes = own.reduce((sum, at) => sum + (answers.get(at)?.data?.length ?? 0), 0)
    for (const at of own) {
      if (count <= room.count && bytes <= room.bytes) break
      count -= 1
      bytes -= answers.get(at)?.data?.length ?? 0
      forget(at)
    }
    for (const at of answers.keys()) {
      if (answers.size <= MAX_RESPONSES) break
      forget(at)
    }
  }

  return {
    async put(answer, room) {
      const at = keyOf(answer.owner, answer.id)
      forget(at)
      answers.set(at, answer)
      count(answer, 1)
      if (answer.data !== undefined) ofKey.set(answer.key, (ofKey.get(answer.key) ?? new Set()).add(at))
      for (const item of answer.items) items.set(keyOf(answer.owner, item), at)
      if (answer.data !== undefined || answers.size > MAX_RESPONSES) removeOldest(answer.key, room)
    },
    async find({ owner, project }, ids) {
      const found = new Set<StoredResponse>()
      const owners = project === undefined ? [owner] : [owner, ...(ofProject.get(project)?.keys() ?? [])]
      for (const one of owners)
        for (const id of ids) {
          const at = keyOf(one, id)
          const answer = answers.get(at) ?? answers.get(items.get(at) ?? '')
          if (answer && (one === owner || answer.project === project)) found.add(answer)
        }
      return [...found]
    },
    async known(ids) {
      const wanted = new Set(ids)
      const found = new Set<string>()
      for (const { id, items } of answers.values())
        for (const name of [id, ...items]) if (wanted.has(name)) found.add(name)
      return [...found]
    },
    async remove(owner, id) {
      return forget(keyOf(owner, id))
    },
  }
}

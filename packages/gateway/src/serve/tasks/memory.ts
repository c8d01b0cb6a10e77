import { HeadgateError } from '@headgate/core/errors'
import type { Task, TaskClaim, TaskQuery, TaskStore } from '../../ports/tasks.ts'
import { pollRateOf } from './poll-rate.ts'

interface TaskEntry {
  task: Task
  heldUntil: number
}

function matchesQuery({ family, owner, since = 0, status, model, tier, ids }: TaskQuery, task: Task): boolean {
  return (
    task.family === family &&
    task.owner === owner &&
    task.createdAt >= since &&
    (status === undefined || task.status === status) &&
    (model === undefined || task.model === model || task.providerModel === model) &&
    (tier === undefined || task.tier === tier) &&
    (ids === undefined || ids.includes(task.id))
  )
}

/**
 * Creates a store of tasks that is kept in memory. Use it if you embed the gateway without a store, and in tests.
 *
 * @example
 * ```ts
 * const gateway = createGateway({
 *   providers,
 *   authenticate,
 *   tasks: { store: memoryTasks(), publicUrl: () => 'https://ai.example.com', links: signer, callbackSecret },
 * })
 * ```
 */
export function memoryTasks(): TaskStore {
  const entries = new Map<string, TaskEntry>()
  /** Time until which the granted polls are used up, by provider. */
  const spent = new Map<string, number>()

  const forget = (now: number): void => {
    for (const [id, { task }] of entries) if (task.keptUntil !== undefined && task.keptUntil <= now) entries.delete(id)
  }
  const mayLook = ({ now, paces, pace: usual }: TaskClaim, provider: string): boolean => {
    const own = Object.hasOwn(paces, provider) ? paces[provider] : undefined
    const pace = pollRateOf(own ?? usual, spent.get(provider) ?? 0, now)
    if (pace.room < 1) return false
    spent.set(provider, pace.spentUntil(1))
    return true
  }

  return {
    async add(task, heldUntil) {
      if (entries.has(task.id)) throw new HeadgateError('internal', `A task ${task.id} already exists.`)
      entries.set(task.id, { task: structuredClone(task), heldUntil })
    },
    async change(task) {
      const entry = entries.get(task.id)
      if (entry?.task.version !== task.version - 1) return false
      entries.set(task.id, { task: structuredClone(task), heldUntil: 0 })
      return true
    },
    async get(id) {
      return structuredClone(entries.get(id)?.task)
    },
    async list(query) {
      const found = [...entries.values()].flatMap(({ task }) => (matchesQuery(query, task) ? [task] : []))
      found.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
      return { tasks: structuredClone(found.slice(query.offset, query.offset + query.limit)), total: found.length }
    },
    async claim(claim) {
      const { family, now, limit, holdMs, id } = claim
      forget(now)
      const one = id === undefined ? undefined : entries.get(id)
      const due = (one ? [one] : id === undefined ? [...entries.values()] : []).filter(
        ({ task, heldUntil }) =>
          task.family === family &&
          heldUntil <= now &&
          (id !== undefined || (task.nextAt !== undefined && task.nextAt <= now)),
      )
      due.sort((a, b) => (a.task.nextAt ?? 0) - (b.task.nextAt ?? 0) || (a.task.id < b.task.id ? -1 : 1))
      const taken: TaskEntry[] = []
      for (const entry of due) {
        if (taken.length >= limit) break
        if (mayLook(claim, entry.task.provider)) taken.push(entry)
      }
      for (const entry of taken) entry.heldUntil = now + holdMs
      return structuredClone(taken.map(({ task }) => task))
    },
    async hold(id, until) {
      const entry = entries.get(id)
      if (entry) entry.heldUntil = until
    },
    async remove(id, version) {
      return entries.get(id)?.task.version === version && entries.delete(id)
    },
  }
}

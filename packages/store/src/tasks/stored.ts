import type { Task } from '@headgate/gateway/ports'
import { storable } from '../database/group.ts'
import type { TableRow } from '../schema/tables.ts'

/** Maximum age of a task with any status, in milliseconds. */
const MOST = 30 * 86_400_000

/** Columns of a task, without its claim. @throws RangeError for an invalid time */
export function taskRow(task: Task): Omit<TableRow<'tasks'>, 'held_until'> {
  const keptUntil = task.keptUntil === undefined ? null : whole(task.keptUntil)
  const latest = whole(task.createdAt + MOST)
  return {
    id: storable(task.id),
    family: storable(task.family),
    owner: storable(task.owner),
    model: storable(task.model),
    provider: storable(task.provider),
    provider_model: storable(task.providerModel),
    tier: storable(task.tier),
    status: task.status,
    created_at: whole(task.createdAt),
    updated_at: whole(task.updatedAt),
    next_at: task.nextAt === undefined ? null : whole(task.nextAt),
    kept_until: keptUntil,
    ends_at: keptUntil === null || keptUntil > latest ? latest : keptUntil,
    version: whole(task.version),
    data: JSON.stringify(task.data),
  }
}

export function storedTask(row: TableRow<'tasks'>): Task {
  return {
    id: row.id,
    family: row.family,
    owner: row.owner,
    model: row.model,
    provider: row.provider,
    providerModel: row.provider_model,
    tier: row.tier,
    status: row.status,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    ...(row.next_at !== null && { nextAt: Number(row.next_at) }),
    ...(row.kept_until !== null && { keptUntil: Number(row.kept_until) }),
    version: Number(row.version),
    data: JSON.parse(row.data),
  }
}

/** Number rounded for a 64-bit column. @throws RangeError if it is not finite */
export function whole(value: number): bigint {
  return BigInt(Math.round(value))
}

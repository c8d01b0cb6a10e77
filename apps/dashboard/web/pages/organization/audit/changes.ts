import { duration } from '../../../formats/durations.ts'
import { exactMoney } from '../../../formats/money.ts'
import { fullTime } from '../../../formats/times.ts'
import type { AuditLogEntry } from './audit.ts'

/** Changed field. */
export interface FieldChange {
  readonly field: string
  /** Old value; undefined = none. */
  readonly before: string | undefined
  /** New value; undefined = removed. */
  readonly after: string | undefined
}

type AuditFields = NonNullable<AuditLogEntry['before']>

/** Changed fields of an entry. */
export function changesOf({
  action,
  before = {},
  after = {},
}: Pick<AuditLogEntry, 'action' | 'before' | 'after'>): readonly FieldChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return fields
    .map((field) => ({ field, before: textOf(action, field, before), after: textOf(action, field, after) }))
    .filter((change) => change.before !== change.after)
}

/** Change in one line: `role: member → viewer`. */
export function changeText({ field, before, after }: FieldChange): string {
  if (before === undefined) return `${field}: ${after}`
  return `${field}: ${before} → ${after ?? 'removed'}`
}

function textOf(action: string, field: string, fields: AuditFields): string | undefined {
  if (!Object.hasOwn(fields, field)) return undefined
  const value = fields[field]
  if (value === null) return undefined
  // Limits of budgets are nano-dollars in a string.
  if (field === 'limit' && action.startsWith('budget.') && /^\d{1,19}$/.test(String(value)))
    return exactMoney(String(value))
  if (typeof value === 'number' && /(At|Until)$/.test(field)) return fullTime(value)
  if (typeof value === 'number' && field.endsWith('Ms')) return duration(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

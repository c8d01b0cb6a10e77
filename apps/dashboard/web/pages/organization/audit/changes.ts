import { exactMoney } from '../../../formats/money.ts'
import type { AuditEntry } from './audit.ts'

/** One thing that is another one now. */
export interface Change {
  readonly field: string
  /** What it was; undefined = it was not there. */
  readonly before: string | undefined
  /** What it is; undefined = it is gone. */
  readonly after: string | undefined
}

type Facts = NonNullable<AuditEntry['before']>

/** What an entry says has changed, field by field: what stayed as it was is left out. */
export function changesOf({
  action,
  before = {},
  after = {},
}: Pick<AuditEntry, 'action' | 'before' | 'after'>): readonly Change[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return fields
    .map((field) => ({ field, before: textOf(action, field, before), after: textOf(action, field, after) }))
    .filter((change) => change.before !== change.after)
}

/** The same in a line: `role: member → viewer`. */
export function changeText({ field, before, after }: Change): string {
  if (before === undefined) return `${field}: ${after}`
  return `${field}: ${before} → ${after ?? 'gone'}`
}

function textOf(action: string, field: string, facts: Facts): string | undefined {
  if (!Object.hasOwn(facts, field)) return undefined
  const value = facts[field]
  if (value === null) return undefined
  // Budgets are nano-dollars in text.
  if (field === 'limit' && action.startsWith('budget.') && /^\d{1,19}$/.test(String(value)))
    return exactMoney(String(value))
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

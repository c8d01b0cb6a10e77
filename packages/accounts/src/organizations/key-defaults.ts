import type { RateLimit } from '@headgate/gateway/ports'
import { type KeyBudget, limitColumns } from '@headgate/store/sql'
import { wrong } from '../database/input.ts'
import type { AccountsTransaction } from '../schema/tables.ts'

/** Bounds of keys that members create for themselves. */
export interface KeyDefaults {
  /** Rate limits of each key. */
  readonly limits?: RateLimit | undefined
  /** Budget of each key, in nano-dollars as digits. */
  readonly budget?: { readonly limit: string; readonly period: KeyBudget['period'] } | undefined
  /** Days after which a key expires at the latest. */
  readonly days?: number | undefined
}

const MOST_DAYS = 3_660
const DAY = 86_400_000

/** Stored text of defaults; null = none. @throws HeadgateError `invalid-request` that names the field */
export function keyDefaultsText(defaults: KeyDefaults | null): string | null {
  const { limits, budget, days } = defaults ?? {}
  limitColumns(limits)
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= MOST_DAYS))
    throw wrong('keyDefaults.days', `\`days\` must be a whole number from 1 to ${MOST_DAYS}.`)
  const hasLimits = limits && Object.keys(limits).length > 0
  const given = { ...(hasLimits && { limits }), ...(budget && { budget }), ...(days !== undefined && { days }) }
  return Object.keys(given).length > 0 ? JSON.stringify(given) : null
}

export function keyDefaultsIn(text: string | null): KeyDefaults | undefined {
  return text === null ? undefined : JSON.parse(text)
}

/** Defaults of an organization for keys of members. */
export async function keyDefaultsOf(
  trx: Pick<AccountsTransaction, 'selectFrom'>,
  organization: string,
): Promise<KeyDefaults> {
  const stored = trx.selectFrom('organizations').select('key_defaults').where('id', '=', organization)
  return keyDefaultsIn((await stored.executeTakeFirst())?.key_defaults ?? null) ?? {}
}

/** Terms that the defaults add to a new key. */
export function boundedTerms({ limits, budget, days }: KeyDefaults, expiresAt: number | undefined, now: number) {
  return {
    ...(limits && { limits }),
    ...(budget && { budgets: [{ period: budget.period, limit: BigInt(budget.limit) }] }),
    ...(days !== undefined && { expiresAt: Math.min(expiresAt ?? Number.POSITIVE_INFINITY, now + days * DAY) }),
  }
}

/** Latest expiry of a key; undefined = none. */
export function latestExpiry({ days }: KeyDefaults, createdAt: number): number | undefined {
  return days === undefined ? undefined : createdAt + days * DAY
}

import type { BodyOf } from '../api/call.ts'

export type LimitValues = NonNullable<BodyOf<'PUT /limits/keys/{key}'>>
export type LimitName = keyof LimitValues

export const LIMIT_NAMES = [
  'requestsPerMinute',
  'tokensPerMinute',
  'concurrent',
] as const satisfies readonly LimitName[]

/** Rate limits as typed. Empty = unlimited. */
export type LimitDraft = Readonly<Record<LimitName, string>>
export type LimitErrors = Partial<Record<LimitName, string>>

/** Largest limit that the API accepts. */
const MAX_LIMIT = 2 ** 31

export function limitDraftOf(limits: LimitValues | undefined): LimitDraft {
  const text = (name: LimitName): string => String(limits?.[name] ?? '')
  return {
    requestsPerMinute: text('requestsPerMinute'),
    tokensPerMinute: text('tokensPerMinute'),
    concurrent: text('concurrent'),
  }
}

/** Limits of a draft, or its errors by field. */
export function limitsOf(draft: LimitDraft): { readonly limits: LimitValues } | { readonly errors: LimitErrors } {
  const errors: LimitErrors = {}
  const limits: Partial<Record<LimitName, number>> = {}
  for (const name of LIMIT_NAMES) {
    if (draft[name].trim() === '') continue
    const value = wholeOf(draft[name], MAX_LIMIT)
    if (value === undefined) errors[name] = 'Enter a whole number of at least 1.'
    else limits[name] = value
  }
  return Object.keys(errors).length > 0 ? { errors } : { limits }
}

/** Parses a whole number of at least 1; undefined = not valid. */
export function wholeOf(typed: string, most: number): number | undefined {
  const value = /^\s*\d{1,10}\s*$/.test(typed) ? Number(typed) : 0
  return value >= 1 && value <= most ? value : undefined
}

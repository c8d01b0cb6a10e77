import type { BodyOf } from '../api/ask.ts'

export type Limits = NonNullable<BodyOf<'PUT /limits/keys/{key}'>>
export type LimitName = keyof Limits

export const LIMIT_NAMES = [
  'requestsPerMinute',
  'tokensPerMinute',
  'concurrent',
] as const satisfies readonly LimitName[]

/** How much may be asked, as it is typed. Empty = nothing bounds it. */
export type LimitDraft = Readonly<Record<LimitName, string>>
export type LimitErrors = Partial<Record<LimitName, string>>

/** Most that can be said. */
const MOST = 2 ** 31

export function limitDraftOf(limits: Limits | undefined): LimitDraft {
  const text = (name: LimitName): string => String(limits?.[name] ?? '')
  return {
    requestsPerMinute: text('requestsPerMinute'),
    tokensPerMinute: text('tokensPerMinute'),
    concurrent: text('concurrent'),
  }
}

/** What is sent for what was typed, or what is wrong with it, by field. */
export function limitsOf(draft: LimitDraft): { readonly limits: Limits } | { readonly errors: LimitErrors } {
  const errors: LimitErrors = {}
  const limits: Partial<Record<LimitName, number>> = {}
  for (const name of LIMIT_NAMES) {
    if (draft[name].trim() === '') continue
    const value = wholeOf(draft[name], MOST)
    if (value === undefined) errors[name] = 'A whole number from 1 on.'
    else limits[name] = value
  }
  return Object.keys(errors).length > 0 ? { errors } : { limits }
}

/** A whole number from 1 on; undefined for what is none. */
export function wholeOf(typed: string, most: number): number | undefined {
  const value = /^\s*\d{1,10}\s*$/.test(typed) ? Number(typed) : 0
  return value >= 1 && value <= most ? value : undefined
}

import type { BodyOf } from '../../api/ask.ts'
import { nanosOf } from '../../formats/money.ts'
import { RIGHT_NAMES } from './rights.ts'

export type Period = 'day' | 'week' | 'month' | 'forever'
type Rights = Readonly<Record<(typeof RIGHT_NAMES)[number], string>>

/** A key as it is typed: lists by commas or lines, amounts in dollars. Empty = it is told nothing of it. */
export interface KeyDraft extends Rights {
  readonly name: string
  readonly environment: string
  readonly project: string
  readonly requestsPerMinute: string
  readonly tokensPerMinute: string
  readonly concurrent: string
  readonly budget: string
  readonly period: Period
  /** Days from now. */
  readonly endsIn: string
}

export const NEW_KEY: KeyDraft = {
  ...{ name: '', environment: 'development', project: '' },
  ...{ models: '', search: '', families: '', providers: '', addresses: '', scopes: '' },
  ...{ requestsPerMinute: '', tokensPerMinute: '', concurrent: '', budget: '', period: 'month', endsIn: '' },
}

export type KeyBody = NonNullable<BodyOf<'POST /keys'>>
export type DraftErrors = Partial<Record<keyof KeyDraft, string>>

const LIMITS = ['requestsPerMinute', 'tokensPerMinute', 'concurrent'] as const
const DAY = 86_400_000
/** Most days ahead that can be typed: ten years. */
const MOST_DAYS = 3_660
const MOST = 2 ** 31

/** What is sent for what was typed, or what is wrong with it, by field. */
export function keyBodyOf(draft: KeyDraft, now: number): { readonly body: KeyBody } | { readonly errors: DraftErrors } {
  const errors: DraftErrors = {}
  const lists = Object.fromEntries(RIGHT_NAMES.flatMap((name) => (draft[name].trim() === '' ? [] : [[name, listOf(draft[name])]])))
  const limits: Partial<Record<(typeof LIMITS)[number], number>> = {}
  for (const name of LIMITS) {
    if (draft[name].trim() === '') continue
    const value = wholeOf(draft[name], MOST)
    if (value === undefined) errors[name] = 'A whole number from 1 on.'
    else limits[name] = value
  }
  const limit = nanosOf(draft.budget)
  if (draft.budget.trim() !== '' && limit === undefined) errors.budget = 'An amount in dollars, as 50 or 0.5.'
  const days = wholeOf(draft.endsIn, MOST_DAYS)
  if (draft.endsIn.trim() !== '' && days === undefined) errors.endsIn = `Whole days, ${MOST_DAYS} at most.`
  if (Object.keys(errors).length > 0) return { errors }
  return {
    body: {
      ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
      ...(draft.project !== '' && { project: draft.project }),
      environment: draft.environment,
      ...lists,
      ...(Object.keys(limits).length > 0 && { limits }),
      ...(limit !== undefined && { budgets: [{ limit, period: draft.period }] }),
      ...(days !== undefined && { expiresAt: now + days * DAY }),
    },
  }
}

function listOf(typed: string): readonly string[] & string[] {
  return typed.split(/[,\n]/).flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
}

/** A whole number from 1 on; undefined for what is none. */
export function wholeOf(typed: string, most: number): number | undefined {
  const value = /^\s*\d{1,10}\s*$/.test(typed) ? Number(typed) : 0
  return value >= 1 && value <= most ? value : undefined
}

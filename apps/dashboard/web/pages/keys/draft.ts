import { everyRight, KEY_RIGHT_NAMES, type KeyRightName } from '@headgate/gateway/ports/key-rights'
import type { BodyOf } from '../../api/ask.ts'
import type { Key } from '../../api/keys.ts'
import type { Period } from '../../budgets/periods.ts'
import { nanosOf } from '../../formats/money.ts'
import { typedTime } from '../../formats/times.ts'
import { LIMIT_NAMES, type LimitDraft, limitDraftOf, limitsOf, wholeOf } from '../../limits/limit-draft.ts'

type Rights = Readonly<Record<KeyRightName, string>>

/**
 * What can be said of a key at any time, as it is typed: lists by commas or lines. Empty = it is told nothing of it.
 */
export interface TermsDraft extends Rights, LimitDraft {
  readonly name: string
}

/** A key that is changed. */
export interface ChangeDraft extends TermsDraft {
  /** As a field of date and time has it. */
  readonly endsAt: string
}

/** A key that is made: with a budget, in dollars. */
export interface KeyDraft extends TermsDraft {
  readonly environment: string
  readonly project: string
  /** Whether it belongs to the project instead of the one who makes it. */
  readonly service: boolean
  readonly budget: string
  readonly period: Period
  /** Days from now. */
  readonly endsIn: string
}

const NO_TERMS: TermsDraft = {
  name: '',
  ...everyRight(() => ''),
  ...limitDraftOf(undefined),
}

export const NEW_KEY: KeyDraft = {
  ...NO_TERMS,
  environment: 'development',
  project: '',
  service: false,
  budget: '',
  period: 'month',
  endsIn: '',
}

export type KeyBody = NonNullable<BodyOf<'POST /keys'>>
export type KeyChange = NonNullable<BodyOf<'PATCH /keys/{key}'>>
export type DraftErrors = Partial<Record<keyof KeyDraft | keyof ChangeDraft, string>>

const DAY = 86_400_000
/** Most days ahead that can be typed: ten years. */
const MOST_DAYS = 3_660

/** What is sent for what was typed, or what is wrong with it, by field. */
export function keyBodyOf(draft: KeyDraft, now: number): { readonly body: KeyBody } | { readonly errors: DraftErrors } {
  const read = limitsOf(draft)
  const errors: DraftErrors = 'errors' in read ? { ...read.errors } : {}
  const limit = nanosOf(draft.budget)
  if (draft.budget.trim() !== '' && limit === undefined) errors.budget = 'An amount in dollars, as 50 or 0.5.'
  const days = wholeOf(draft.endsIn, MOST_DAYS)
  if (draft.endsIn.trim() !== '' && days === undefined) errors.endsIn = `Whole days, ${MOST_DAYS} at most.`
  if (Object.keys(errors).length > 0 || 'errors' in read) return { errors }
  const lists = Object.fromEntries(
    KEY_RIGHT_NAMES.flatMap((name) => (draft[name].trim() === '' ? [] : [[name, listOf(draft[name])]])),
  )
  return {
    body: {
      name: draft.name.trim() || undefined,
      project: draft.project || undefined,
      environment: draft.environment,
      service: draft.service || undefined,
      ...lists,
      limits: Object.keys(read.limits).length > 0 ? read.limits : undefined,
      budgets: limit === undefined ? undefined : [{ limit, period: draft.period }],
      expiresAt: days === undefined ? undefined : now + days * DAY,
    },
  }
}

/** A key as it would be typed. */
export function draftOf(key: Key): ChangeDraft {
  const lists = everyRight((name) => key[name]?.join(', ') ?? '')
  const endsAt = key.expiresAt === undefined ? '' : typedTime(key.expiresAt)
  return { ...lists, ...limitDraftOf(key.limits), name: key.name ?? '', endsAt }
}

/**
 * What is sent of a key that was changed: what is as it was stays, what was emptied is as if it had never been said.
 */
export function keyChangeOf(
  draft: ChangeDraft,
  of: Key,
): { readonly body: KeyChange } | { readonly errors: DraftErrors } {
  const before = draftOf(of)
  const isChanged = (name: keyof ChangeDraft): boolean => draft[name].trim() !== before[name]
  const read = limitsOf(draft)
  const errors: DraftErrors = 'errors' in read ? { ...read.errors } : {}
  const expiresAt = draft.endsAt === '' ? null : new Date(draft.endsAt).getTime()
  if (Number.isNaN(expiresAt)) errors.endsAt = 'A date and a time.'
  if (Object.keys(errors).length > 0 || 'errors' in read) return { errors }
  const lists = Object.fromEntries(
    KEY_RIGHT_NAMES.filter(isChanged).map((name) => [name, draft[name].trim() === '' ? null : listOf(draft[name])]),
  )
  return {
    body: {
      ...(isChanged('name') && { name: draft.name.trim() === '' ? null : draft.name.trim() }),
      ...lists,
      ...(LIMIT_NAMES.some(isChanged) && { limits: Object.keys(read.limits).length > 0 ? read.limits : null }),
      ...(isChanged('endsAt') && { expiresAt }),
    },
  }
}

function listOf(typed: string): readonly string[] & string[] {
  return typed.split(/[,\n]/).flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
}

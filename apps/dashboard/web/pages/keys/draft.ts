import {
  ALLOWED_SETTINGS,
  everyRight,
  KEY_RIGHT_NAMES,
  KEY_SETTING_NAMES,
  type KeyRightName,
  type KeySettingName,
  type KeySettings,
  settingOf,
} from '@headgate/gateway/ports/key-rights'
import type { BodyOf } from '../../api/call.ts'
import type { Key } from '../../api/keys.ts'
import type { PeriodName } from '../../budgets/periods.ts'
import { nanosOf } from '../../formats/money.ts'
import { typedTime } from '../../formats/times.ts'
import { LIMIT_NAMES, type LimitDraft, limitDraftOf, limitsOf, wholeOf } from '../../limits/limit-draft.ts'

type RightsDraft = Readonly<Record<KeyRightName | KeySettingName, string>>

/** Name, rights and limits of a key as typed. Lists are separated by commas or lines. Empty = not restricted. */
export interface TermsDraft extends RightsDraft, LimitDraft {
  readonly name: string
}

/** Changed fields of a key. */
export interface ChangeDraft extends TermsDraft {
  /** Expiry in the browser's time zone, such as `2026-12-31T18:00`. */
  readonly endsAt: string
}

/** Fields of a new key. The budget is in dollars. */
export interface KeyDraft extends TermsDraft {
  readonly environment: string
  readonly project: string
  /** True if the key belongs to the project instead of the user. */
  readonly service: boolean
  readonly budget: string
  readonly period: PeriodName
  /** Days until the key expires. */
  readonly endsIn: string
}

const NO_TERMS: TermsDraft = {
  name: '',
  ...everyRight(() => ''),
  class: '',
  weight: '',
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
export type KeyPatch = NonNullable<BodyOf<'PATCH /keys/{key}'>>
export type DraftErrors = Partial<Record<keyof KeyDraft | keyof ChangeDraft, string>>

const DAY = 86_400_000
/** Maximum lifetime of a key: ten years. */
const MAX_DAYS = 3_660

/** Request body of a draft, or its errors by field. */
export function keyBodyOf(draft: KeyDraft, now: number): { readonly body: KeyBody } | { readonly errors: DraftErrors } {
  const read = limitsOf(draft)
  const errors: DraftErrors = 'errors' in read ? { ...read.errors } : {}
  const limit = nanosOf(draft.budget)
  if (draft.budget.trim() !== '' && limit === undefined)
    errors.budget = 'Enter an amount in dollars, such as 50 or 0.5.'
  const settings = settingsOf(draft, KEY_SETTING_NAMES, errors)
  const days = wholeOf(draft.endsIn, MAX_DAYS)
  if (draft.endsIn.trim() !== '' && days === undefined) errors.endsIn = `Enter whole days, at most ${MAX_DAYS}.`
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
      ...settings,
      limits: Object.keys(read.limits).length > 0 ? read.limits : undefined,
      budgets: limit === undefined ? undefined : [{ limit, period: draft.period }],
      expiresAt: days === undefined ? undefined : now + days * DAY,
    },
  }
}

/** Draft with the current values of a key. */
export function draftOf(key: Key): ChangeDraft {
  const lists = everyRight((name) => key[name]?.join(', ') ?? '')
  const endsAt = key.expiresAt === undefined ? '' : typedTime(key.expiresAt)
  return {
    ...lists,
    ...limitDraftOf(key.limits),
    class: key.class ?? '',
    weight: String(key.weight ?? ''),
    name: key.name ?? '',
    endsAt,
  }
}

/** Request body with the changed fields. An emptied field is removed from the key. */
export function keyChangeOf(
  draft: ChangeDraft,
  of: Key,
): { readonly body: KeyPatch } | { readonly errors: DraftErrors } {
  const before = draftOf(of)
  const isChanged = (name: keyof ChangeDraft): boolean => draft[name].trim() !== before[name]
  const read = limitsOf(draft)
  const errors: DraftErrors = 'errors' in read ? { ...read.errors } : {}
  const settings = settingsOf(draft, KEY_SETTING_NAMES.filter(isChanged), errors)
  const removed = KEY_SETTING_NAMES.filter((name) => isChanged(name) && draft[name].trim() === '')
  const typed = draft.endsAt.trim()
  // A date alone would be read as midnight in UTC.
  const expiresAt = typed === '' ? null : new Date(typed.length === 10 ? `${typed}T00:00` : typed).getTime()
  if (Number.isNaN(expiresAt)) errors.endsAt = 'Enter a date and time, such as 2026-12-31 18:00.'
  if (Object.keys(errors).length > 0 || 'errors' in read) return { errors }
  const lists = Object.fromEntries(
    KEY_RIGHT_NAMES.filter(isChanged).map((name) => [name, draft[name].trim() === '' ? null : listOf(draft[name])]),
  )
  return {
    body: {
      ...(isChanged('name') && { name: draft.name.trim() === '' ? null : draft.name.trim() }),
      ...lists,
      ...settings,
      ...Object.fromEntries(removed.map((name) => [name, null])),
      ...(LIMIT_NAMES.some(isChanged) && { limits: Object.keys(read.limits).length > 0 ? read.limits : null }),
      ...(isChanged('endsAt') && { expiresAt }),
    },
  }
}

/** Typed class and weight; empty ones are left out. Invalid ones are added to the errors. */
function settingsOf(draft: RightsDraft, names: readonly KeySettingName[], errors: DraftErrors): KeySettings {
  const settings = names.map((name) => {
    const text = draft[name].trim()
    const setting = text === '' ? {} : settingOf(name, text)
    if (!setting) errors[name] = `Enter ${ALLOWED_SETTINGS[name]}.`
    return setting
  })
  return Object.assign({}, ...settings)
}

function listOf(typed: string): readonly string[] & string[] {
  return typed.split(/[,\n]/).flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
}

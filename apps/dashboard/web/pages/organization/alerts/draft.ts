import type { DestinationItem } from '../../../api/alerts.ts'
import { wholeOf } from '../../../limits/limit-draft.ts'

export type DraftKind = DestinationItem['kind']
export type DraftRules = DestinationItem['rules']

export const KINDS = [
  { value: 'webhook', title: 'Webhook' },
  { value: 'slack', title: 'Slack' },
  { value: 'teams', title: 'Microsoft Teams' },
  { value: 'mail', title: 'Email' },
] as const

/** Destination as typed. Empty limits = no alerts. */
export interface DestinationDraft {
  readonly name: string
  readonly kind: DraftKind
  /** Empty = the stored address stays. */
  readonly address: string
  readonly spend: boolean
  /** Percent. */
  readonly errors: string
  /** Milliseconds. */
  readonly latency: string
  readonly minutes: string
}

/** Default of the time that a rule looks at, in minutes. */
const MINUTES = 15

export function draftOf(of: DestinationItem | undefined): DestinationDraft {
  const { name = '', kind = 'webhook', rules = { spend: true } } = of ?? {}
  const { spend = false, errors, latency } = rules
  return {
    name,
    kind,
    address: '',
    spend,
    errors: errors ? String(errors.above) : '',
    latency: latency ? String(latency.above) : '',
    minutes: String(errors?.minutes ?? latency?.minutes ?? MINUTES),
  }
}

export type DestinationProblems = Partial<Record<keyof DestinationDraft, string>>

/** Rules of a draft, or its problems. @param isNew true if the address is required */
export function rulesOf(
  draft: DestinationDraft,
  isNew: boolean,
): { readonly rules: DraftRules } | { readonly problems: DestinationProblems } {
  const number = (typed: string, most: number) => (typed.trim() === '' ? undefined : (wholeOf(typed, most) ?? null))
  const [errors, latency, minutes] = [
    number(draft.errors, 100),
    number(draft.latency, 600_000),
    wholeOf(draft.minutes, 120) ?? 0,
  ]
  const problems: DestinationProblems = {
    ...(draft.name.trim() === '' && { name: 'Enter a name.' }),
    ...(isNew && draft.address.trim() === '' && { address: 'Enter an address.' }),
    ...(errors === null && { errors: 'Enter whole percent, from 1 to 100.' }),
    ...(latency === null && { latency: 'Enter whole milliseconds, at most 600000.' }),
    ...(minutes < 5 && { minutes: 'Enter whole minutes, from 5 to 120.' }),
  }
  if (Object.keys(problems).length > 0) return { problems }
  return {
    rules: {
      ...(draft.spend && { spend: true }),
      ...(typeof errors === 'number' && { errors: { above: errors, minutes } }),
      ...(typeof latency === 'number' && { latency: { above: latency, minutes } }),
    },
  }
}

/** Rules in one line: `budgets, errors above 5 % in 15 minutes`. */
export function rulesText({ spend, errors, latency }: DraftRules): string {
  const parts = [
    ...(spend ? ['budgets'] : []),
    ...(errors ? [`errors above ${errors.above} % in ${errors.minutes} minutes`] : []),
    ...(latency ? [`TTFT (p95) above ${latency.above} ms in ${latency.minutes} minutes`] : []),
  ]
  return parts.join(', ') || 'nothing'
}

import type { ReactNode } from 'react'
import { LABELS, OUTCOMES, type OutcomeName } from '../labels.ts'
import { classes } from './classes.ts'

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'strong'

const TONES: Readonly<Record<Tone, string>> = {
  plain: 'border-line bg-sunken text-muted',
  good: 'border-transparent bg-good-tint text-good',
  warn: 'border-transparent bg-warn-tint text-warn',
  bad: 'border-transparent bg-bad-tint text-bad',
  strong: 'border-field bg-bg text-text',
}

export interface ChipProps {
  readonly tone?: Tone
  readonly title?: string
  readonly children: ReactNode
}

/** Short colored label. The color never carries information that the text does not have. */
export function Chip({ tone = 'plain', title, children }: ChipProps) {
  return (
    <span
      title={title}
      className={classes(
        'inline-flex items-center gap-1 rounded-field border px-1.5 text-small font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}

/** HTTP status that the caller received. */
export function StatusChip({ status }: { readonly status: number }) {
  if (status === 0) return <Chip tone="warn">{LABELS.unknown}</Chip>
  const tone = status < 300 ? 'good' : status === 499 || status === 429 ? 'warn' : 'bad'
  return <Chip tone={tone}>{status === 499 ? LABELS.canceled : status}</Chip>
}

/** Fields of a usage row that its chip shows. */
export interface ChipOutcome {
  readonly status: number
  readonly outcome: OutcomeName
}

/** Outcome of a request: the status of served requests, and the outcome of all others. A stream can break off after 200. */
export function OutcomeChip({ row: { status, outcome } }: { readonly row: ChipOutcome }) {
  const { label, title, tone } = OUTCOMES[outcome]
  return (
    <Chip tone={tone} title={`${title} Status ${status}.`}>
      {outcome === 'served' ? status : label}
    </Chip>
  )
}

const ENVIRONMENTS: Readonly<Record<string, Tone>> = { production: 'strong', staging: 'warn' }

export function EnvironmentChip({ name }: { readonly name: string }) {
  return <Chip tone={ENVIRONMENTS[name] ?? 'plain'}>{name}</Chip>
}

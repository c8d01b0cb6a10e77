import type { ReactNode } from 'react'
import { LABELS } from '../labels.ts'
import { classes } from './classes.ts'

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

const TONES: Readonly<Record<Tone, string>> = {
  plain: 'border-line bg-sunken text-muted',
  good: 'border-transparent bg-good-tint text-good',
  warn: 'border-transparent bg-warn-tint text-warn',
  bad: 'border-transparent bg-bad-tint text-bad',
  accent: 'border-accent bg-bg text-accent',
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

/** Fields of a usage row that decide whether the request succeeded. A stream can break off after status 200. */
export interface RequestOutcome {
  readonly status: number
  readonly why: string
  readonly failure: string | null
}

/** Outcome of a request: its status, or the reason why its response is incomplete. */
export function OutcomeChip({ row: { status, why, failure } }: { readonly row: RequestOutcome }) {
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && why === 'canceled') {
    return (
      <Chip tone="warn" title={`Status ${status}; the caller disconnected before the response was complete.`}>
        {LABELS.canceled}
      </Chip>
    )
  }
  if (isSuccess && (why === 'cut' || failure !== null)) {
    return (
      <Chip tone="bad" title={`Status ${status}; the response broke off before it was complete.`}>
        incomplete
      </Chip>
    )
  }
  return <StatusChip status={status} />
}

const ENVIRONMENTS: Readonly<Record<string, Tone>> = { production: 'accent', staging: 'warn' }

export function EnvironmentChip({ name }: { readonly name: string }) {
  return <Chip tone={ENVIRONMENTS[name] ?? 'plain'}>{name}</Chip>
}

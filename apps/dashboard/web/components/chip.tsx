import type { ReactNode } from 'react'
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

/** A short word with a color of its own, which never says anything by the color alone. */
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

/** The status that a caller got. */
export function StatusChip({ status }: { readonly status: number }) {
  if (status === 0) return <Chip tone="warn">unknown</Chip>
  const tone = status < 300 ? 'good' : status === 499 || status === 429 ? 'warn' : 'bad'
  return <Chip tone={tone}>{status === 499 ? 'left' : status}</Chip>
}

/** Facts that decide whether a request succeeded: a stream can break off after a status of 200. */
export interface Outcome {
  readonly status: number
  readonly why: string
  readonly failure: string | null
}

/** Outcome of a request: its status, or why its response is incomplete although the status reports success. */
export function OutcomeChip({ row: { status, why, failure } }: { readonly row: Outcome }) {
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && why === 'canceled') {
    return (
      <Chip tone="warn" title={`Status ${status}; the caller left before the response was complete.`}>
        left
      </Chip>
    )
  }
  if (isSuccess && (why === 'cut' || failure !== null)) {
    return (
      <Chip tone="bad" title={`Status ${status}; the response broke off before it was complete.`}>
        cut
      </Chip>
    )
  }
  return <StatusChip status={status} />
}

const ENVIRONMENTS: Readonly<Record<string, Tone>> = { production: 'accent', staging: 'warn' }

/** The environment of a key. */
export function EnvironmentChip({ name }: { readonly name: string }) {
  return <Chip tone={ENVIRONMENTS[name] ?? 'plain'}>{name}</Chip>
}

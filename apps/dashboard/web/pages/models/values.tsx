import type { ReactNode } from 'react'
import { rate } from '../../formats/money.ts'
import { count, percent, shortCount } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { ENOUGH, failureShare } from './facts.ts'

export function Unknown() {
  return <span className="text-muted">{LABELS.unknown}</span>
}

/** Price of tokens or units. */
export function Rate({ nanos }: { readonly nanos: number | undefined }) {
  if (nanos === undefined) return <Unknown />
  return <data value={nanos}>{nanos === 0 ? 'free' : rate(nanos)}</data>
}

export function Size({ tokens }: { readonly tokens: number | undefined }) {
  if (tokens === undefined) return <Unknown />
  return (
    <data value={tokens} title={`${count(tokens)} tokens`}>
      {shortCount(tokens)}
    </data>
  )
}

export function YesNo({ is }: { readonly is: boolean | undefined }) {
  return is === undefined ? <Unknown /> : is ? 'yes' : 'no'
}

export interface NameListProps {
  readonly all: readonly string[] | undefined
  readonly none?: ReactNode
}

/** Names, separated by commas. */
export function NameList({ all, none = LABELS.none }: NameListProps) {
  if (all === undefined) return <Unknown />
  return all.length === 0 ? <span className="text-muted">{none}</span> : all.join(', ')
}

/** Failure rate of a provider, or the counts if there are too few requests. */
export function Failures({ requests, failures }: { readonly requests: number; readonly failures: number }) {
  if (requests === 0) return <span className="text-muted">no requests</span>
  const share = failureShare({ requests, failures })
  const title = `${count(failures)} of ${count(requests)} in the last 7 days`
  return <span title={title}>{share === undefined ? `${failures} of ${requests}` : percent(share)}</span>
}

export const RATES_NOTE = `Rates need at least ${ENOUGH} requests.`

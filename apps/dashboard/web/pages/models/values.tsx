import type { ReactNode } from 'react'
import { rate } from '../../formats/money.ts'
import { count, percent, shortCount } from '../../formats/numbers.ts'
import { ENOUGH, failureShare } from './facts.ts'

/** What nobody has said. */
export function Unknown() {
  return <span className="text-muted">unknown</span>
}

/** What a million tokens, or a unit, cost. */
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

export interface WordsProps {
  readonly all: readonly string[] | undefined
  readonly none?: ReactNode
}

/** Words by commas. */
export function Words({ all, none = 'none' }: WordsProps) {
  if (all === undefined) return <Unknown />
  return all.length === 0 ? <span className="text-muted">{none}</span> : all.join(', ')
}

/** How many of its requests a provider has failed. */
export function Failures({ requests, failures }: { readonly requests: number; readonly failures: number }) {
  if (requests === 0) return <span className="text-muted">no requests</span>
  const share = failureShare({ requests, failures })
  const title = `${count(failures)} of ${count(requests)}, in the last 7 days`
  return <span title={title}>{share === undefined ? `${failures} of ${requests}` : percent(share)}</span>
}

export const TOO_FEW = `Shares are shown from ${ENOUGH} requests on.`

import { classes } from '../../components/classes.ts'
import { OUTCOMES, type OutcomeName } from '../../labels.ts'

export interface MarkedOutcome {
  readonly outcome: OutcomeName
  readonly status: number
}

/** Dot in the color of an outcome, with the status for served requests and the outcome for all others. */
export function OutcomeMark({ row: { outcome, status } }: { readonly row: MarkedOutcome }) {
  const { label, title, dot } = OUTCOMES[outcome]
  const code = status === 0 ? '' : String(status)
  const isServed = outcome === 'served' && code !== ''
  return (
    <span className="inline-flex items-center gap-1.5" title={code === '' ? title : `${title} Status ${code}.`}>
      <span aria-hidden className={classes('size-2 shrink-0 rounded-full', dot)} />
      {isServed ? code : label}
      {!isServed && outcome !== 'canceled' && code !== '' && <span className="text-muted max-lg:hidden">{code}</span>}
    </span>
  )
}

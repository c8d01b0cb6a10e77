import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { change } from '../formats/numbers.ts'
import { classes } from './classes.ts'
import { Sparkline } from './sparkline.tsx'

/** Change compared with the previous period. */
export interface FigureChange {
  /** Relative change; undefined = too little data to compare. */
  readonly share: number | undefined
  /** True if an increase is bad. */
  readonly isWorse?: boolean
}

export interface FigureProps {
  readonly title: string
  readonly children: ReactNode
  readonly delta?: FigureChange | undefined
  /** Values over the range; null = unknown. */
  readonly line?: readonly (number | null)[] | undefined
  readonly note?: ReactNode
  /** Page with the details. */
  readonly link?: LinkProps | undefined
}

/** Key figure with its change and a sparkline. */
export function Figure({ title, children, delta, line, note, link }: FigureProps) {
  const face = (
    <>
      <p className="text-small font-medium text-muted">{title}</p>
      <p className="text-title font-semibold sm:text-figure">{children}</p>
      <p className="flex min-h-5 flex-wrap items-center gap-x-2 whitespace-nowrap text-small text-muted">
        {delta && <DeltaText {...delta} />}
        {note}
      </p>
      {line && <Sparkline values={line} />}
    </>
  )
  const look = 'flex min-w-0 flex-col gap-0.5 rounded-panel border border-line p-3 sm:p-4'
  return link ? (
    <Link {...link} className={classes(look, 'hover:border-field')}>
      {face}
    </Link>
  ) : (
    <div className={look}>{face}</div>
  )
}

function DeltaText({ share, isWorse = false }: FigureChange) {
  if (share === undefined) return null
  const tone = share === 0 ? undefined : share > 0 === isWorse ? 'text-bad' : 'text-good'
  return (
    <span>
      <span className={tone}>
        {share > 0 ? '▲' : share < 0 ? '▼' : '='} {change(share)}
      </span>{' '}
      vs. previous period
    </span>
  )
}

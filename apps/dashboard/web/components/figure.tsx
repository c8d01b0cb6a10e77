import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { change, points } from '../formats/numbers.ts'
import { classes } from './classes.ts'
import { Sparkline } from './sparkline.tsx'

/** Change compared with the previous period. */
export interface FigureChange {
  /** Relative change, or of a share its change in points; undefined = too little data to compare. */
  readonly share: number | undefined
  /** True if an increase is bad, false if it is good; absent = neither. */
  readonly isWorse?: boolean | undefined
  /** True for the change of a share: 0.02 = 2 points. */
  readonly isPoints?: boolean | undefined
}

/** Smallest changes that are more than chance: of an amount, and of a share. */
const NOTABLE = { share: 0.05, points: 0.01 } as const
/** Smallest change that is not rounded to 0. */
const LEAST = 0.0005

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
      <p className="flex min-h-5 flex-wrap items-center gap-x-2 text-small text-muted">
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

function DeltaText({ share, isWorse, isPoints = false }: FigureChange) {
  if (share === undefined) return null
  const isSmall = Math.abs(share) < (isPoints ? NOTABLE.points : NOTABLE.share)
  const tone = isWorse === undefined || isSmall ? undefined : share > 0 === isWorse ? 'text-bad' : 'text-good'
  return (
    <span>
      <span className={classes('whitespace-nowrap', tone)}>
        {Math.abs(share) < LEAST ? '=' : share > 0 ? '▲' : '▼'} {isPoints ? points(share) : change(share)}
      </span>{' '}
      <span className="max-sm:sr-only">vs. previous period</span>
    </span>
  )
}

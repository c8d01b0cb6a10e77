import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { change } from '../formats/numbers.ts'
import { classes } from './classes.ts'
import { Sparkline } from './sparkline.tsx'

/** What is compared with the period before. */
export interface Delta {
  /** How much more, as a share; undefined = there is too little to compare. */
  readonly share: number | undefined
  /** Whether more is worse. */
  readonly isWorse?: boolean
}

export interface FigureProps {
  readonly title: string
  readonly children: ReactNode
  readonly delta?: Delta | undefined
  /** What it was over the range, in steps; null = nobody knows. */
  readonly line?: readonly (number | null)[] | undefined
  readonly note?: ReactNode
  /** Where what it is made of is. */
  readonly link?: LinkProps | undefined
}

/** One number that matters, what it was before, and how it went. */
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

function DeltaText({ share, isWorse = false }: Delta) {
  if (share === undefined) return <span>too few to compare</span>
  const tone = share === 0 ? undefined : share > 0 === isWorse ? 'text-bad' : 'text-good'
  return (
    <span>
      <span className={tone}>
        {share > 0 ? '▲' : share < 0 ? '▼' : '='} {change(share)}
      </span>{' '}
      against before
    </span>
  )
}

import { type ReactNode, useEffect, useRef } from 'react'
import { classes } from './classes.ts'

let isFirstPage = true

export interface PageProps {
  /** What the page is called: its heading, and the title of the window. */
  readonly title: string
  /** What the title of the window says after it, as the name of a project. */
  readonly scope?: string | undefined
  /** One line that says what question the page answers. */
  readonly lead?: ReactNode
  /** At the right of the heading. */
  readonly actions?: ReactNode
  /** Of tables, which are as wide as the window. */
  readonly isWide?: boolean
  /** Something that is open at the right, beside what goes on living. */
  readonly peek?: ReactNode
  readonly children: ReactNode
}

/** A page within the shell. Its heading gets the focus when somebody comes from another one. */
export function Page({ title, scope, lead, actions, isWide = false, peek, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isFirstPage) isFirstPage = false
    else heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className="flex items-start">
      <title>{[title, scope, 'Headgate'].filter(Boolean).join(' – ')}</title>
      <div className={classes('min-w-0 grow px-4 py-6 md:px-6', !isWide && 'mx-auto max-w-[1440px]')}>
        <header className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
          <div>
            <h1 ref={heading} tabIndex={-1} className="text-title font-semibold">
              {title}
            </h1>
            {lead && <p className="mt-1 max-w-prose text-muted">{lead}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
        {children}
      </div>
      {peek}
    </div>
  )
}

/** A part of a page with a heading of its own. */
export function Section({ title, actions, children, className }: SectionProps) {
  return (
    <section className={classes('rounded-panel border border-line p-4', className)} aria-label={title}>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lead font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

export interface SectionProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

/** A part of what is said of what is open. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-small font-semibold text-muted">{title}</h3>
      {children}
    </section>
  )
}

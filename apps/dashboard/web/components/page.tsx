import { type ReactNode, useEffect, useRef } from 'react'
import { classes } from './classes.ts'

let isFirstPage = true

export interface PageProps {
  /** Heading of the page and start of the window title. */
  readonly title: string
  /** Second part of the window title, such as the name of a project. */
  readonly scope?: string | undefined
  /** Description below the heading. */
  readonly lead?: ReactNode
  /** Buttons to the right of the heading. */
  readonly actions?: ReactNode
  /** True if the page uses the whole width of the window, as for tables. */
  readonly isWide?: boolean
  /** Panel to the right of the page. */
  readonly peek?: ReactNode
  readonly children: ReactNode
}

/** Page inside the shell. Its heading gets the focus after navigation. */
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

/** Section of a page, with a heading. */
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

/** Section of a panel, with a heading. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-small font-semibold text-muted">{title}</h3>
      {children}
    </section>
  )
}

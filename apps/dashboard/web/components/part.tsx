import type { ReactNode } from 'react'

/** A part of what is said of what is open. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-small font-semibold text-muted">{title}</h3>
      {children}
    </section>
  )
}

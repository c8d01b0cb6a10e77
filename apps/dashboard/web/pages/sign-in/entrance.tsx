import type { ReactNode } from 'react'
import { Mark } from '../../shell/rail.tsx'

/** What is around pages of who is not signed in. */
export function Entrance({
  title,
  lead,
  children,
}: {
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <main className="flex min-h-dvh items-start justify-center bg-sunken px-4 py-12 sm:items-center">
      <title>{`${title} – Headgate`}</title>
      <div className="w-full max-w-sm rounded-panel border border-line bg-bg p-6">
        <p className="mb-6 flex items-center gap-2 text-lead font-semibold">
          <Mark /> Headgate
        </p>
        <h1 className="text-title font-semibold">{title}</h1>
        {lead && <p className="mt-1 text-muted">{lead}</p>}
        <div className="mt-5">{children}</div>
      </div>
    </main>
  )
}

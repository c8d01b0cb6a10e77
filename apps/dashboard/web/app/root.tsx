import { Link, Outlet } from '@tanstack/react-router'
import { Announcements } from '../components/announcements.tsx'
import { buttonClass } from '../components/button.tsx'
import { Failed } from '../components/states.tsx'
import { Toasts } from '../components/toasts.tsx'

export function Root() {
  return (
    <>
      <Outlet />
      <Announcements />
      <Toasts />
    </>
  )
}

export function NotFound() {
  return (
    <main className="mx-auto flex max-w-prose flex-col items-start gap-3 p-6">
      <title>No such page – Headgate</title>
      <h1 className="text-title font-semibold">There is no such page</h1>
      <p className="text-muted">The address may be of an earlier version, or cut off.</p>
      <Link to="/overview" className={buttonClass('primary')}>
        Overview
      </Link>
    </main>
  )
}

/** A page that has failed: what it says, and the way to load it anew. */
export function PageFailed({ error, reset }: { readonly error: unknown; reset(): void }) {
  return (
    <main className="mx-auto max-w-prose p-6">
      <h1 className="mb-3 text-title font-semibold">This page could not be shown</h1>
      <Failed error={error} retry={reset} />
    </main>
  )
}

/** Until something is known of who looks: nothing, then the outlines of a page. */
export function PagePending() {
  return (
    <div role="status" aria-label="Loading" className="p-6">
      <div className="skeleton mb-4 h-7 w-48" />
      <div className="skeleton h-64 w-full" />
    </div>
  )
}

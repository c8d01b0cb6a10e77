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
      <title>Page not found – Headgate</title>
      <h1 className="text-title font-semibold">Page not found</h1>
      <p className="text-muted">The address may be outdated or incomplete.</p>
      <Link to="/now" className={buttonClass('primary')}>
        Now
      </Link>
    </main>
  )
}

/** Error page with a button that reloads. */
export function PageFailed({ error, reset }: { readonly error: unknown; reset(): void }) {
  return (
    <main className="mx-auto max-w-prose p-6">
      <h1 className="mb-3 text-title font-semibold">This page could not be displayed</h1>
      <Failed error={error} retry={reset} />
    </main>
  )
}

/** Skeleton that is shown while the user is loaded. */
export function PagePending() {
  return (
    <div role="status" aria-label="Loading" className="p-6">
      <div className="skeleton mb-4 h-7 w-48" />
      <div className="skeleton h-64 w-full" />
    </div>
  )
}

import { Outlet, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { useMay, useMembership } from '../api/me.ts'
import { onWaiting, waitingNow } from '../confirm/confirmed.ts'
import { SecretHost } from '../secrets/secret-host.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { DESTINATIONS, type Destination } from './navigation.ts'
import { Rail } from './rail.tsx'
import { useShortcut } from './shortcuts.ts'
import { TopBar } from './top-bar.tsx'
import { useChanges } from './use-changes.ts'

const ShortcutList = lazy(() =>
  import('./shortcut-list.tsx').then(({ ShortcutList: component }) => ({ default: component })),
)
const ConfirmDialog = lazy(() =>
  import('../confirm/confirm-dialog.tsx').then(({ ConfirmDialog: component }) => ({ default: component })),
)
const CommandMenu = lazy(() =>
  import('./command-menu.tsx').then(({ CommandMenu: component }) => ({ default: component })),
)

/** Frame around all pages for signed-in users. */
export function Shell() {
  const [isSearching, setSearching] = useState(false)
  const [isListing, setListing] = useState(false)
  useChanges(useMembership()?.organization, useMay('usage.read') !== undefined)
  const waiting = useSyncExternalStore(onWaiting, waitingNow)
  const search = (): void => setSearching(true)
  useShortcut('mod+k', 'Go to a page or a request', search)
  useShortcut('?', 'Keyboard shortcuts', () => setListing(true))
  return (
    <div className="flex min-h-dvh max-md:pb-14">
      <a
        href="#main"
        className="sr-only z-50 rounded-field bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      {DESTINATIONS.flat().map((one) => (
        <GoTo key={one.to} {...one} />
      ))}
      <Rail />
      <div className="min-w-0 flex-1">
        <TopBar onSearch={search} />
        <main id="main">
          <Outlet />
        </main>
      </div>
      <BottomBar />
      {isListing && (
        <Suspense>
          <ShortcutList isOpen onClose={() => setListing(false)} />
        </Suspense>
      )}
      <SecretHost />
      {waiting && (
        <Suspense>
          <ConfirmDialog waiting={waiting} />
        </Suspense>
      )}
      {isSearching && (
        <Suspense>
          <CommandMenu isOpen onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </div>
  )
}

function GoTo({ to, title, letter }: Destination) {
  const navigate = useNavigate()
  useShortcut(`g ${letter}`, title, () => void navigate({ to }))
  return null
}

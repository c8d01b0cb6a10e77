import { useIsFetching } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { buttonClass } from '../components/button.tsx'
import { classes } from '../components/classes.ts'
import { useNow } from '../components/now.ts'
import { duration } from '../formats/durations.ts'
import { AccountMenu } from './account-menu.tsx'
import { useLive } from './live.ts'
import { barFieldsOf } from './navigation.ts'
import { RangePicker } from './range-picker.tsx'
import { Scope } from './scope.tsx'

const IS_MAC = /mac|iphone|ipad/i.test(navigator.userAgent)

/** Top bar with the scope and time range of the page, command menu and account. */
export function TopBar({ onSearch }: { onSearch(): void }) {
  const isBusy = useIsFetching() > 0
  const { pathname, search } = useLocation()
  const { hasScope, hasRange } = barFieldsOf(pathname, search)
  return (
    <header className="sticky top-0 z-20 border-b border-line bg-bg print:hidden!">
      <div className="flex min-h-[calc(var(--bar)-1px)] flex-wrap items-center gap-2 px-4 py-2 md:px-6">
        <div className="mr-auto min-w-0 max-sm:flex-1">
          <Scope hasProject={hasScope} />
        </div>
        <LiveDot />
        {hasRange && (
          <div className="max-sm:order-last max-sm:w-full">
            <RangePicker />
          </div>
        )}
        <button
          type="button"
          className={buttonClass('plain', 'text-muted')}
          onClick={onSearch}
          aria-keyshortcuts={IS_MAC ? 'Meta+K' : 'Control+K'}
        >
          <Search aria-hidden size={14} />
          <span className="max-md:sr-only">Go to…</span>
          <kbd className="font-sans text-small max-md:hidden">{IS_MAC ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        <AccountMenu />
      </div>
      <div aria-hidden className={classes('absolute inset-x-0 -bottom-px h-0.5', isBusy && 'appear-late bg-field')} />
    </header>
  )
}

/** State of live updates, as a dot with text. */
function LiveDot() {
  const { state, since } = useLive()
  const now = useNow()
  if (state === 'off') return null
  const isLive = state === 'live'
  const text = isLive ? 'Live' : `No live updates for ${duration(Math.max(0, now - since))}. Reconnecting…`
  return (
    <span
      role="status"
      title={text}
      className={classes('flex items-center gap-1.5 text-small', isLive ? 'text-muted' : 'text-warn')}
    >
      <span aria-hidden className={classes('size-2 rounded-full', isLive ? 'bg-good' : 'border-2 border-warn')} />
      <span className={classes(isLive && 'max-lg:sr-only')}>{isLive ? 'Live' : 'Reconnecting'}</span>
    </span>
  )
}

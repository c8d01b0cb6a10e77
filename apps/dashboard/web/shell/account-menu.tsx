import { UserRound } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useMe } from '../api/me.ts'
import { Popover } from '../components/popover.tsx'

// The button is on every page; its entries are needed only after the page.
const AccountEntries = lazy(() =>
  import('./account-entries.tsx').then(({ AccountEntries: entries }) => ({ default: entries })),
)

/** Menu with the user, the color scheme and sign-out. */
export function AccountMenu() {
  const me = useMe()
  return (
    <Popover
      label="Account"
      isAtEnd
      className="px-0! min-w-8 pointer-coarse:min-w-11"
      face={
        // The initials are drawn by CSS, because the name of the button is its label alone.
        <span
          aria-hidden
          data-initials={initialsOf(me?.name)}
          className="flex size-6 items-center justify-center rounded-full bg-line text-small font-semibold text-text before:content-[attr(data-initials)]"
        >
          {me === undefined && <UserRound size={14} />}
        </span>
      }
    >
      <Suspense>
        <AccountEntries />
      </Suspense>
    </Popover>
  )
}

/** First letters of the first and the last word of a name. */
export function initialsOf(name = ''): string {
  const words = name.trim().split(/\s+/)
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  return ends
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}

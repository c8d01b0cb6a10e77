import { Link } from '@tanstack/react-router'
import { useMembership } from '../api/me.ts'
import { ENTRY } from '../components/popover.tsx'
import { DESTINATIONS, type Destination } from './navigation.ts'

/** Pages that the user has access to, in groups. */
export function useDestinations(): readonly (readonly Destination[])[] {
  const membership = useMembership()
  return DESTINATIONS.map((group) => group.filter(({ action }) => membership?.may[action] !== undefined)).filter(
    (group) => group.length > 0,
  )
}

/** Navigation on the left. */
export function Rail() {
  const groups = useDestinations()
  return (
    <nav
      aria-label="Pages"
      className="sticky top-0 hidden h-dvh w-48 shrink-0 flex-col gap-4 overflow-y-auto border-r border-line px-2 py-3 md:flex print:hidden!"
    >
      <Link to="/now" className="flex items-center gap-2 px-3 text-lead font-semibold">
        <Mark /> Headgate
      </Link>
      {groups.map((group) => (
        <ul key={group[0]?.to} className="flex flex-col gap-0.5">
          {group.map((one) => (
            <li key={one.to}>
              <DestinationLink {...one} />
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}

export function DestinationLink({ to, title, icon: Icon }: Destination) {
  return (
    <Link to={to} className={ENTRY} activeProps={{ 'aria-current': 'page', className: 'font-semibold' }}>
      <Icon aria-hidden size={16} className="shrink-0 text-muted" />
      {title}
    </Link>
  )
}

export function Mark() {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className="size-5 shrink-0">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <path
        d="M8 8v16M24 8v16M8 13h16M8 19h16"
        className="stroke-on-accent"
        strokeWidth="2.6"
        strokeLinecap="round"
        fill="none"
      />
    </svg>
  )
}

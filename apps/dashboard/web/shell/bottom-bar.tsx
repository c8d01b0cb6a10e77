import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { Popover } from '../components/popover.tsx'
import { DestinationLink, useDestinations } from './rail.tsx'

/** Number of pages that are shown directly. The others are in a menu. */
const MAX_PAGES = 4
const FACE =
  'flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-small text-muted aria-[current=page]:font-semibold aria-[current=page]:text-text'

/** Navigation on phones. */
export function BottomBar() {
  const all = useDestinations().flat()
  const [here, more] = [all.slice(0, MAX_PAGES), all.slice(MAX_PAGES)]
  return (
    <nav
      aria-label="Pages"
      className="fixed inset-x-0 bottom-0 z-20 flex h-14 border-t border-line bg-bg md:hidden print:hidden!"
    >
      {here.map(({ to, title, icon: Icon }) => (
        <Link key={to} to={to} className={FACE} activeProps={{ 'aria-current': 'page' }}>
          <Icon aria-hidden size={20} />
          <span className="truncate">{title}</span>
        </Link>
      ))}
      {more.length > 0 && (
        <div className="flex flex-1 justify-center">
          <Popover
            label="More pages"
            isAbove
            isAtEnd
            className="h-full w-full px-0! text-small! font-normal!"
            face={
              <span className="flex flex-col items-center gap-0.5">
                <Ellipsis aria-hidden size={20} />
                More
              </span>
            }
          >
            {more.map((one) => (
              <DestinationLink key={one.to} {...one} />
            ))}
          </Popover>
        </div>
      )}
    </nav>
  )
}

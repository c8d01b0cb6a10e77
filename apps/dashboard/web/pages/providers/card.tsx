import { Link } from '@tanstack/react-router'
import { classes } from '../../components/classes.ts'
import { Time } from '../../components/values.tsx'
import { CallFigures } from './call-figures.tsx'
import { CallStrip } from './call-strip.tsx'
import { Endpoints } from './endpoints.tsx'
import { LastError } from './last-error.tsx'
import type { ProviderStatus } from './providers.ts'
import { ProviderState } from './state-chip.tsx'

export interface ProviderCardProps {
  readonly of: ProviderStatus
  readonly now: number
  readonly isOpen: boolean
}

/** Maximum number of endpoints on a card. The panel has all. */
const ENDPOINTS = 4

/** Card of an enabled provider with its state, its figures, its endpoints and its last error. */
export function ProviderCard({ of, now, isOpen }: ProviderCardProps) {
  const { name, adapter, families, lastError, since, minutes, endpoints = [], troubled = [] } = of
  // A model can fail at several endpoints.
  const failing = [...new Set(troubled.map(({ model }) => model))]
  return (
    <li
      aria-current={isOpen || undefined}
      className={classes(
        'relative flex min-w-0 flex-col gap-2 rounded-panel border border-line p-4 hover:bg-sunken',
        isOpen && 'bg-sunken',
      )}
    >
      <p className="flex items-center justify-between gap-2">
        <Link
          to="/providers"
          search={(before: object) => ({ ...before, row: name })}
          resetScroll={false}
          data-row={name}
          className="truncate text-lead font-semibold after:absolute after:inset-0"
        >
          {name}
        </Link>
        <ProviderState of={of} now={now} />
      </p>
      <p className="text-small text-muted">
        {families.join(', ') || 'not in use'}
        {adapter !== name && ` · adapter ${adapter}`}
        {since !== undefined && (
          <>
            {' '}
            · since <Time at={since} />
          </>
        )}
      </p>
      <CallFigures of={of} />
      {minutes && <CallStrip of={minutes} />}
      {endpoints.length > 1 && <Endpoints of={endpoints} now={now} most={ENDPOINTS} />}
      {failing.length > 0 && (
        <p className="text-small">
          {failing.length === 1 ? `${failing[0]} is failing` : `${failing.length} models are failing`}
        </p>
      )}
      {lastError ? <LastError of={lastError} /> : <p className="text-small text-muted">No errors in 48 hours.</p>}
    </li>
  )
}

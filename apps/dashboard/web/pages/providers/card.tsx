import { Link } from '@tanstack/react-router'
import { classes } from '../../components/classes.ts'
import { Time } from '../../components/values.tsx'
import { type ProviderStatus, troubleText } from './providers.ts'
import { ProviderState } from './state-chip.tsx'

export interface ProviderCardProps {
  readonly of: ProviderStatus
  readonly now: number
  readonly isOpen: boolean
}

/** Card of an enabled provider with its state and last error. */
export function ProviderCard({ of, now, isOpen }: ProviderCardProps) {
  const { name, adapter, families, lastError, troubled = [] } = of
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
      </p>
      {troubled.length > 0 && (
        <p className="text-small">
          {troubled.length === 1 ? `${troubled[0]?.model} is failing` : `${troubled.length} models are failing`}
        </p>
      )}
      {lastError ? (
        <p className="line-clamp-2 text-small wrap-anywhere text-bad">
          <Time at={lastError.at} />: {troubleText(lastError)}
        </p>
      ) : (
        <p className="text-small text-muted">No errors since the last start.</p>
      )}
    </li>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { callApi } from '../../api/call.ts'
import { announce } from '../../components/announcements.tsx'
import { OutcomeChip } from '../../components/chip.tsx'
import { classes } from '../../components/classes.ts'
import { duration } from '../../formats/durations.ts'
import { money } from '../../formats/money.ts'
import { LABELS } from '../../labels.ts'
import { onLive, useLive } from '../../shell/live.ts'

/** Poll interval without live updates, in milliseconds. */
const POLL_MS = 2_000

/** Status line that waits for the first request of a key and shows its outcome. */
export function Arrival({ of, onArrived }: { readonly of: string; onArrived(): void }) {
  const [since] = useState(Date.now)
  const { state } = useLive()
  const { data, refetch } = useQuery({
    queryKey: ['usage', 'arrival', of],
    queryFn: ({ signal }) => callApi('GET /usage', { signal, query: { key: of, limit: 1, from: since - 60_000 } }),
    refetchInterval: ({ state: { data: known } }) =>
      known && known.items.length > 0 ? false : state === 'live' ? 10 * POLL_MS : POLL_MS,
  })
  useEffect(() => onLive('requests', () => void refetch()), [refetch])
  const row = data?.items[0]
  const isHere = row !== undefined
  useEffect(() => {
    if (!isHere) return
    announce('Request received.')
    onArrived()
  }, [isHere, onArrived])
  return (
    <div
      className={classes(
        'flex flex-wrap items-center gap-3 rounded-panel border p-4',
        row ? 'border-good bg-good-tint' : 'border-line',
      )}
    >
      <span
        aria-hidden
        className={classes('size-3 rounded-full border-2', row ? 'border-good bg-good' : 'animate-pulse border-field')}
      />
      {row ? (
        <>
          <OutcomeChip row={row} />
          <span className="font-medium">{row.model}</span>
          <span>{duration(row.durationMs)}</span>
          <span>{money(row.charged)}</span>
          <Link to="/requests" search={{ row: row.requestId }} className="ml-auto text-accent underline">
            {LABELS.openRequest}
          </Link>
        </>
      ) : (
        <span className="text-muted">Waiting for your first request…</span>
      )}
    </div>
  )
}

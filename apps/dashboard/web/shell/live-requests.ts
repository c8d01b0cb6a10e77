import { useEffect, useState } from 'react'
import { onLive } from './live.ts'

/** How many requests have ended since they were asked for last, and what forgets them. */
export function useLiveRequests(): readonly [number, () => void] {
  const [waiting, setWaiting] = useState(0)
  useEffect(
    () => onLive('requests', (event) => setWaiting((before) => before + Math.max(1, Number(event['count'] ?? 1)))),
    [],
  )
  return [waiting, () => setWaiting(0)]
}

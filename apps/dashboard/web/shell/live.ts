import { useEffect, useState, useSyncExternalStore } from 'react'
import { API } from '../api/call.ts'
import { currentOrganization } from '../api/organization.ts'

/** Topics of events, named as in the API. */
export const TOPICS = ['requests', 'keys', 'budgets', 'prices', 'providers'] as const
export type LiveTopic = (typeof TOPICS)[number]

/** Data of an event: what has changed and how many items, but no contents. */
export type LiveEvent = Readonly<Record<string, unknown>>

/** State of live updates. `off`: the gateway has no event stream. */
export interface LiveState {
  readonly state: 'off' | 'live' | 'away'
  /** Start of the state, in Unix milliseconds. */
  readonly since: number
}

const LOCK = 'headgate-live'
const CHANNEL = 'headgate-live'
/** Wait before a reconnect in milliseconds, doubled each time up to the maximum. The actual wait is half to all of it. */
const WAIT = { first: 2_000, most: 30_000 }

interface ChannelMessage {
  readonly topic?: LiveTopic
  readonly data?: LiveEvent
  readonly state?: LiveState['state']
  /** ID of the newest event. */
  readonly id?: string | undefined
  /** True if the sender requests the current state. */
  readonly asks?: true
}

let current: LiveState = { state: 'off', since: 0 }
/** ID of the newest event, at which the next holder of the connection continues. */
let newest: string | undefined
const stateListeners = new Set<() => void>()
const listeners = new Map<LiveTopic, Set<(event: LiveEvent) => void>>()

/** Adds a listener for a topic. @returns function that removes it */
export function onLive(topic: LiveTopic, listener: (event: LiveEvent) => void): () => void {
  const own = listeners.get(topic) ?? new Set()
  listeners.set(topic, own)
  own.add(listener)
  return () => own.delete(listener)
}

export function useLive(): LiveState {
  return useSyncExternalStore(subscribe, () => current)
}

function subscribe(listener: () => void): () => void {
  stateListeners.add(listener)
  return () => stateListeners.delete(listener)
}

function handle({ topic, data, state, id }: ChannelMessage): void {
  newest = id ?? newest
  if (topic !== undefined && data !== undefined) for (const listener of listeners.get(topic) ?? []) listener(data)
  if (state === undefined || state === current.state) return
  current = { state, since: Date.now() }
  for (const listener of stateListeners) listener()
}

/**
 * Connects to the event stream. One page of a browser holds the connection and forwards events to the other pages,
 * because browsers limit the number of connections per host.
 * @param onRefused called if the gateway has no event stream, or the session has ended
 * @returns function that disconnects
 */
export function listenToChanges(onRefused: () => void): () => void {
  const end = new AbortController()
  const channel = new BroadcastChannel(`${CHANNEL} ${currentOrganization() ?? ''}`)
  let isHolder = false
  channel.onmessage = ({ data }: MessageEvent<ChannelMessage>) => {
    if (!data.asks) handle(data)
    else if (isHolder) channel.postMessage({ state: current.state, id: newest })
  }
  channel.postMessage({ asks: true })
  const tell = (message: ChannelMessage): void => {
    channel.postMessage(message)
    handle(message)
  }
  const hold = (): Promise<void> =>
    new Promise((resolve) => {
      // The lock can be granted after the page has disconnected.
      if (end.signal.aborted) return resolve()
      isHolder = true
      let source: EventSource
      let wait = WAIT.first
      let timer: ReturnType<typeof setTimeout> | undefined
      const open = (): void => {
        source = new EventSource(address())
        source.onopen = () => {
          wait = WAIT.first
          tell({ state: 'live' })
        }
        source.onerror = () => {
          if (source.readyState !== EventSource.CLOSED) {
            // The browser would reconnect every 2 s without a longer wait.
            source.close()
            timer = setTimeout(open, wait * (0.5 + Math.random() / 2))
            wait = Math.min(2 * wait, WAIT.most)
            return tell({ state: 'away' })
          }
          // The browser gives up if the gateway has no event stream, or the session has ended.
          tell({ state: 'off' })
          onRefused()
        }
        source.addEventListener('ready', ({ lastEventId: id }) => tell({ id }))
        for (const topic of TOPICS)
          source.addEventListener(topic, ({ data, lastEventId: id }) => tell({ topic, data: readEvent(data), id }))
      }
      end.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        source.close()
        resolve()
      })
      open()
    })
  // Without HTTPS or localhost there are no locks, so each page has its own connection.
  if (navigator.locks === undefined) hold().catch(() => {})
  else navigator.locks.request(`${LOCK} ${currentOrganization() ?? ''}`, { signal: end.signal }, hold).catch(() => {})
  return () => {
    end.abort()
    channel.close()
    newest = undefined
    handle({ state: 'off' })
  }
}

function address(): string {
  const organization = currentOrganization()
  const query = new URLSearchParams({
    ...(organization !== undefined && { organization }),
    ...(newest !== undefined && { after: newest }),
  })
  return `${API}/events${query.size > 0 ? `?${query}` : ''}`
}

function readEvent(text: string): LiveEvent {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null ? { ...read } : {}
  } catch {
    return {}
  }
}

/** Number of requests that ended since the last reset, and the function that resets it. */
export function useLiveRequests(): readonly [number, () => void] {
  const [waiting, setWaiting] = useState(0)
  useEffect(
    () => onLive('requests', (event) => setWaiting((before) => before + Math.max(1, Number(event['count'] ?? 1)))),
    [],
  )
  return [waiting, () => setWaiting(0)]
}

import { useEffect, useState, useSyncExternalStore } from 'react'
import { API } from '../api/ask.ts'
import { currentOrganization } from '../api/organization.ts'

/** What may change: as the API calls it. */
export const TOPICS = ['requests', 'keys', 'budgets', 'prices', 'providers'] as const
export type Topic = (typeof TOPICS)[number]

/** What an event says: which things have changed and how many, never what they hold. */
export type LiveEvent = Readonly<Record<string, unknown>>

/** How what is live is doing: `off` where the gateway has none. */
export interface LiveState {
  readonly state: 'off' | 'live' | 'away'
  /** Since when, in Unix milliseconds. */
  readonly since: number
}

const LOCK = 'headgate-live'
const CHANNEL = 'headgate-live'
/** How long it waits before it connects again, in milliseconds: twice as long each time. */
const WAIT = { first: 2_000, most: 60_000 }

interface Message {
  readonly topic?: Topic
  readonly data?: LiveEvent
  readonly state?: LiveState['state']
  /** Of the newest event. */
  readonly id?: string | undefined
  /** Whether somebody asks how it is. */
  readonly asks?: true
}

let current: LiveState = { state: 'off', since: 0 }
/** Where the next one who holds the connection goes on. */
let newest: string | undefined
const stateListeners = new Set<() => void>()
const listeners = new Map<Topic, Set<(event: LiveEvent) => void>>()

/** Told what changes; returns what ends it. */
export function onLive(topic: Topic, listener: (event: LiveEvent) => void): () => void {
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

function take({ topic, data, state, id }: Message): void {
  newest = id ?? newest
  if (topic !== undefined && data !== undefined) for (const listener of listeners.get(topic) ?? []) listener(data)
  if (state === undefined || state === current.state) return
  current = { state, since: Date.now() }
  for (const listener of stateListeners) listener()
}

/**
 * Listens to what changes, until it is ended. One page of a browser holds the connection, as it has few for a host, and
 * tells the others.
 * @param onRefused told when there is no stream here, or the session is over.
 * @returns what ends it.
 */
export function listenToChanges(onRefused: () => void): () => void {
  const end = new AbortController()
  const channel = new BroadcastChannel(`${CHANNEL} ${currentOrganization() ?? ''}`)
  let isHolder = false
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (!data.asks) take(data)
    else if (isHolder) channel.postMessage({ state: current.state, id: newest })
  }
  channel.postMessage({ asks: true })
  const tell = (message: Message): void => {
    channel.postMessage(message)
    take(message)
  }
  const hold = (): Promise<void> =>
    new Promise((resolve) => {
      // A lock may come when nobody waits for it any more: what is over holds nothing, and its channel is closed.
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
            // A browser would try again every 2 s for as long as the gateway is away.
            source.close()
            timer = setTimeout(open, wait * (0.75 + Math.random() / 2))
            wait = Math.min(2 * wait, WAIT.most)
            return tell({ state: 'away' })
          }
          // A browser that gives up was refused: there is no stream here, or the session is over.
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
  // Without locks, where the page comes neither by TLS nor from this machine, each page holds its own.
  if (navigator.locks === undefined) hold().catch(() => {})
  else navigator.locks.request(`${LOCK} ${currentOrganization() ?? ''}`, { signal: end.signal }, hold).catch(() => {})
  return () => {
    end.abort()
    channel.close()
    newest = undefined
    take({ state: 'off' })
  }
}

function address(): string {
  const organization = currentOrganization()
  const asked = new URLSearchParams({
    ...(organization !== undefined && { organization }),
    ...(newest !== undefined && { after: newest }),
  })
  return `${API}/events${asked.size > 0 ? `?${asked}` : ''}`
}

function readEvent(text: string): LiveEvent {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null ? { ...read } : {}
  } catch {
    return {}
  }
}

/** How many requests have ended since they were asked for last, and what forgets them. */
export function useLiveRequests(): readonly [number, () => void] {
  const [waiting, setWaiting] = useState(0)
  useEffect(
    () => onLive('requests', (event) => setWaiting((before) => before + Math.max(1, Number(event['count'] ?? 1)))),
    [],
  )
  return [waiting, () => setWaiting(0)]
}

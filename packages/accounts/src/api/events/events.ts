import { HeadgateError } from '@headgate/gateway/ports'
import type { UsageScope } from '../../roles/access.ts'
import type { Caller } from '../../roles/caller.ts'
import type { ManagementParts } from '../parts.ts'
import { createChannel } from './channel.ts'
import { type Look, lookAt } from './look.ts'
import {
  type EventPosition,
  type EventTopic,
  positionText,
  type RequestCount,
  readPosition,
  requestsSince,
} from './position.ts'

/** Listener and its topics. */
export interface Listening {
  readonly caller: Caller
  readonly organization: string
  /** Id of the session. The stream ends with the session. */
  readonly session: string
  readonly topics: readonly EventTopic[]
  /** Id of the last received event. */
  readonly lastEvent: string | undefined
}

/** Events about changes: the affected topics and counts, never content. */
export interface Events {
  /** Lines of a stream of server-sent events. @throws HeadgateError `over-limit` if a session has too many streams. */
  listen(listening: Listening): Promise<AsyncIterable<string>>
  /** Ends all streams. */
  end(): void
}

type EventsParts = Pick<ManagementParts, 'accounts' | 'usage' | 'facts' | 'versions' | 'now' | 'onProblem'>

/** Interval between checks for changes in milliseconds, while there are listeners. */
const EVERY = 1_000
/** Number of checks between keep-alive comments. The session is checked at the same time. */
const ALIVE = 15
/** Reconnection time of browsers in milliseconds. */
const RETRY = 2_000
/** Maximum number of listeners per session. */
const MOST = 5
/** Maximum number of listeners in total. */
const MOST_OF_ALL = 1_000

interface Listener extends Listening {
  reach: UsageScope
  position: EventPosition
  looks: number
  push(text: string): void
  end(): void
}

export function createEvents(parts: EventsParts): Events {
  const listeners = new Set<Listener>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isAway = false
  let isOver = false

  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    const seen = lookAt(parts)
    try {
      for (const listener of [...listeners]) await tell(parts, listener, seen)
      isAway = false
    } catch (error) {
      // An unavailable store is queried again, but reported only once.
      if (!isAway) parts.onProblem(`Changes cannot be reported until the store responds: ${String(error)}`)
      isAway = true
    } finally {
      isLooking = false
    }
  }
  const leave = (listener: Listener): void => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    async listen(listening) {
      const { session, caller, organization, topics, lastEvent } = listening
      const check = (): void => {
        const own = [...listeners].filter((one) => one.session === session).length
        if (own < MOST && listeners.size < MOST_OF_ALL) return
        throw new HeadgateError('over-limit', `A session can have at most ${MOST} event streams. Close a page.`, {
          retryAfterMs: 15_000,
        })
      }
      check()
      const reach = await parts.accounts.usageScope(caller, organization)
      const now = await lookAt(parts).position(topics, reach)
      check()
      const channel = createChannel(() => leave(listener))
      // Changes since the last received event are sent at the first check.
      const position = { ...now, ...readPosition(lastEvent) }
      const listener: Listener = { ...listening, reach, position, looks: 0, push: channel.push, end: channel.end }
      listeners.add(listener)
      channel.push(
        `retry: ${RETRY}\nid: ${positionText(position)}\nevent: ready\ndata: ${JSON.stringify({ topics })}\n\n`,
      )
      if (isOver) channel.end()
      else timer ??= setInterval(look, EVERY).unref()
      return channel.texts
    },
    end() {
      isOver = true
      for (const listener of [...listeners]) listener.end()
    },
  }
}

/** Sends changes since the last check to a listener. */
async function tell(parts: EventsParts, listener: Listener, seen: Look): Promise<void> {
  listener.looks += 1
  if (listener.looks % ALIVE === 0) {
    if (!(await isThere(parts, listener))) return listener.end()
    listener.push(': alive\n\n')
  }
  const { topics, reach, position: before } = listener
  const now = await seen.position(topics, reach)
  for (const topic of topics) {
    const changed = now[topic]
    if (changed === undefined) continue
    listener.position = { ...listener.position, [topic]: changed }
    if (isSame(changed, before[topic])) continue
    const data =
      topic === 'requests' ? await requestsOf(now.requests, before.requests, seen, reach) : { version: changed }
    listener.push(`id: ${positionText(listener.position)}\nevent: ${topic}\ndata: ${JSON.stringify(data)}\n\n`)
  }
}

async function requestsOf(
  now: RequestCount | undefined,
  before: RequestCount | undefined,
  seen: Look,
  reach: UsageScope,
) {
  const count = now && before && requestsSince(now, before)
  return { count: count === undefined || count < 0 ? null : count, newest: (await seen.newest(reach)) ?? null }
}

function isSame(one: EventPosition[EventTopic], other: EventPosition[EventTopic]): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other
  return requestsSince(one, other) === 0
}

/**
 * True if the session is still valid and its person is still allowed to listen. Does not count as use of the session.
 */
async function isThere({ accounts }: EventsParts, listener: Listener): Promise<boolean> {
  const { caller, organization, session } = listener
  try {
    listener.reach = await accounts.usageScope(caller, organization)
    return (await accounts.listSessions(caller)).some(({ id }) => id === session)
  } catch (error) {
    if (HeadgateError.is(error) && error.status < 500) return false
    throw error
  }
}

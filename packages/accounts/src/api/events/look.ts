import { hash } from 'node:crypto'
import type { UsageScope } from '../../roles/access.ts'
import type { ManagementParts } from '../parts.ts'
import { type EventPosition, type EventTopic, HOUR, type RequestCount } from './position.ts'

export type LookParts = Pick<ManagementParts, 'usage' | 'facts' | 'versions' | 'now'>

/** State at one moment. Each value is looked up once for all listeners. */
export interface Look {
  /** Current position of the topics within the visible scope. */
  position(topics: readonly EventTopic[], reach: UsageScope): Promise<EventPosition>
  /** Id of the newest request; undefined without requests, or if several projects would need a query. */
  newest(reach: UsageScope): Promise<string | undefined>
}

export function lookAt(parts: LookParts): Look {
  const { usage, facts } = parts
  const now = (parts.now ?? Date.now)()
  const hour = Math.floor(now / HOUR) * HOUR
  const once = <T>(find: (key: string) => Promise<T>) => {
    const found = new Map<string, Promise<T>>()
    return (key: string): Promise<T> => {
      const one = found.get(key) ?? find(key)
      found.set(key, one)
      return one
    }
  }
  const versions = once(async () => (await parts.versions?.()) ?? {})
  const providers = once(async () => {
    const states = (await facts.providers()).map(({ name, kind, state, restsUntil, endpoints = [] }) => [
      ...[name, kind, state, restsUntil],
      endpoints.map((endpoint) => [endpoint.name, endpoint.restsUntil]),
    ])
    return hash('sha256', JSON.stringify(states), 'base64url').slice(0, 12)
  })
  /** Series by project, shared by all listeners who see whole projects. */
  const series = once((member) =>
    usage.series({
      from: hour - HOUR,
      to: hour + HOUR,
      step: 'hour',
      by: ['project'],
      filters: member === '' ? {} : { member },
    }),
  )
  /** Requests without calls by hour and visible scope. They are in no series. */
  const refusals = once((scope) => {
    const { member: onlyMember, projects }: UsageScope = JSON.parse(scope)
    const filters = { onlyMember, onlyProject: projects && { values: projects } }
    return usage.failures({ from: hour - HOUR, to: hour + HOUR, filters, isWithoutCalls: true })
  })
  const requests = async (scope: UsageScope): Promise<RequestCount> => {
    const { member = '', projects } = scope
    const points = (await series(member)).map(pointOf)
    const seen = points.filter(
      ({ project }) => projects === undefined || (project !== null && projects.includes(project)),
    )
    const refused = await refusals(JSON.stringify(scope))
    const countOf = (from: number) =>
      seen.filter(({ start }) => start === from).reduce((sum, { requests }) => sum + requests, 0) +
      refused.filter((one) => one.hour === from).reduce((sum, one) => sum + one.requests, 0)
    return { hour, inHour: countOf(hour), inHourBefore: countOf(hour - HOUR) }
  }
  const newest = once(async (text) => {
    const filters: { member?: string; project?: string } = JSON.parse(text)
    return (await usage.rows({ filters, limit: 1 })).rows[0]?.requestId
  })

  return {
    async position(topics, reach) {
      const has = (topic: EventTopic) => topics.includes(topic)
      const { keys = 0, budgets = 0, prices = 0 } = await versions('')
      return {
        ...(has('requests') && { requests: await requests(reach) }),
        ...(has('keys') && { keys }),
        ...(has('budgets') && { budgets }),
        ...(has('prices') && { prices }),
        ...(has('providers') && { providers: await providers('') }),
      }
    },
    newest({ member, projects }) {
      const [project, ...more] = projects ?? []
      if (more.length > 0) return Promise.resolve(undefined)
      return newest(
        JSON.stringify({ ...(member !== undefined && { member }), ...(project !== undefined && { project }) }),
      )
    },
  }
}

/** Fields of a point in a series by project. */
function pointOf(point: object): {
  readonly start: number
  readonly project: string | null
  readonly requests: number
} {
  const {
    start = 0,
    names: [project = null] = [],
    counts: { requests = 0 } = {},
  } = point as {
    start?: number
    names?: readonly (string | null)[]
    counts?: { requests?: number }
  }
  return { start, project, requests }
}

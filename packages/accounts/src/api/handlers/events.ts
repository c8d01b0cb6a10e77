import { z } from '@hono/zod-openapi'
import { TOPICS, type Topic } from '../events/position.ts'
import { route } from '../route.ts'

const Topics = z
  .string()
  .regex(
    new RegExp(`^(?:${TOPICS.join('|')})(?:,(?:${TOPICS.join('|')})){0,9}$`),
    `Some of ${TOPICS.join(', ')}, with commas.`,
  )
  .openapi({ description: `Some of ${TOPICS.join(', ')}; default all.`, example: 'requests,keys' })

const After = z
  .string()
  .max(1_000)
  .openapi({ description: 'The id of an event: what has changed since then is told first.' })

export const EVENT_ROUTES = [
  route({
    method: 'get',
    path: '/events',
    id: 'listen',
    summary:
      'Says what changes, by server-sent events: how many requests have ended and the newest, that keys, budgets, prices or providers have changed. `Last-Event-ID`, or `after`, goes on where a connection has ended.',
    by: ['session'],
    action: 'usage.read',
    query: z.strictObject({ topics: Topics.optional(), after: After.optional() }),
    streams: ['text/event-stream'],
    async handle({ caller, organization, session, events, lastEvent, query }) {
      const asked = query.topics?.split(',')
      const topics = TOPICS.filter((topic): topic is Topic => asked?.includes(topic) ?? true)
      const texts = await events.listen({
        caller,
        organization,
        session: session?.id ?? '',
        topics,
        lastEvent: lastEvent ?? query.after,
      })
      return { stream: { type: 'text/event-stream', texts } }
    },
  }),
]

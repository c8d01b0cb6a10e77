import { z } from '@hono/zod-openapi'
import { type EventTopic, TOPICS } from '../events/position.ts'
import { route } from '../route.ts'

const Topics = z
  .string()
  .regex(
    new RegExp(`^(?:${TOPICS.join('|')})(?:,(?:${TOPICS.join('|')})){0,9}$`),
    `One or more of ${TOPICS.join(', ')}, separated by commas.`,
  )
  .openapi({ description: `One or more of ${TOPICS.join(', ')}. Default: all.`, example: 'requests,keys' })

const After = z.string().max(1_000).openapi({ description: 'Id of an event. Changes since then are sent first.' })

export const EVENT_ROUTES = [
  route({
    method: 'get',
    path: '/events',
    id: 'listen',
    summary:
      'Streams changes as server-sent events: the number of ended requests and the newest one, and changes of keys, budgets, prices or providers. `Last-Event-ID` or `after` resumes after a lost connection.',
    by: ['session'],
    action: 'usage.read',
    query: z.strictObject({ topics: Topics.optional(), after: After.optional() }),
    streams: ['text/event-stream'],
    async handle({ caller, organization, session, events, lastEvent, query }) {
      const asked = query.topics?.split(',')
      const topics = TOPICS.filter((topic): topic is EventTopic => asked?.includes(topic) ?? true)
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

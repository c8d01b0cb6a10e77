import { formats, generateContent, wires } from '@headgate/core/formats'
import { verbOf } from '../../edge/model-path.ts'
import type { Family, ServedRoute } from '../../serve/family.ts'
import { readRequestBody } from '../../serve/request-body.ts'
import { boundOfChat } from './cost/bound.ts'
import { serveCountTokens } from './count-tokens.ts'
import type { BackgroundRuns } from './responses/background.ts'
import { storedResponseRoutes } from './responses/stored-responses.ts'
import { CHAT_ROUTES, VERBS } from './routes.ts'
import { serveChat } from './serve.ts'

/** Chat in the formats of several vendors. */
export const chat: Family = {
  id: 'chat',
  kind: 'provider',
  schemas: Object.fromEntries([...wires].map(([id, { requestSchema }]) => [id, requestSchema])),
  errors(path, { method }) {
    for (const format of formats.values()) if (format.isPath?.(path)) return format
    const verb = verbOf(path)
    return verb !== undefined && (method === 'POST' || VERBS.has(verb)) ? generateContent : undefined
  },
  has: ({ chat = [] }) => chat.length > 0,
  bound: boundOfChat,
  open(core) {
    const runs: BackgroundRuns = new Map()
    const routes = CHAT_ROUTES.map(
      (route): ServedRoute => ({
        ...route,
        canDryRun: route.does === 'chat',
        isIdempotent: route.does === 'chat',
        async serve(context, { parameters, query }) {
          const body = await readRequestBody(core, context)
          const line = { format: route.format, model: parameters['model'], stream: route.stream, query }
          if (route.does === 'chat') await serveChat(core, runs, context, body, line)
          else await serveCountTokens(core, context, body, line)
        },
      }),
    )
    return { routes: [...routes, ...storedResponseRoutes(core, runs)] }
  },
}

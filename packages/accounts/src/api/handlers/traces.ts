import { HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id } from '../schemas.ts'
import { Trace } from '../trace.ts'
import { Key } from './keys.ts'

const HOUR = 3_600_000
const KeyId = z.strictObject({ key: Id })

export const TRACE_ROUTES = [
  route({
    method: 'get',
    path: '/traces/{request}',
    id: 'readTrace',
    summary:
      'Reads the trace of a request: all HTTP exchanges with caller and providers, without credentials. Traces exist for 24 hours, for playground requests and for keys with tracing.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'traces.read',
    params: z.strictObject({ request: Id }),
    answer: Trace,
    async handle({ parts, caller, organization, params: { request } }) {
      const found = await parts.traces?.read(request)
      const none = (cause?: unknown) => new HeadgateError('not-found', 'There is no trace of this request.', { cause })
      if (!found) throw none()
      try {
        await parts.accounts.readTraceOf(caller, organization, found.principal, request)
      } catch (error) {
        throw HeadgateError.is(error) && error.kind === 'not-found' ? none(error) : error
      }
      return { body: found }
    },
  }),
  route({
    method: 'put',
    path: '/keys/{key}/trace',
    id: 'traceKey',
    summary: 'Traces requests of a key for up to 24 hours.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'traces.write',
    params: KeyId,
    body: z.strictObject({ hours: z.int().min(1).max(24) }),
    answer: Key,
    async handle({ parts, caller, organization, params, body }) {
      const until = (parts.now ?? Date.now)() + body.hours * HOUR
      const changed = await parts.accounts.traceKey(caller, organization, params.key, until)
      return { body: changed, version: changed.version }
    },
  }),
  route({
    method: 'delete',
    path: '/keys/{key}/trace',
    id: 'untraceKey',
    summary: 'Stops tracing a key. Existing traces are kept for their 24 hours.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'traces.write',
    params: KeyId,
    answer: Key,
    async handle({ parts, caller, organization, params }) {
      const changed = await parts.accounts.traceKey(caller, organization, params.key, null)
      return { body: changed, version: changed.version }
    },
  }),
]

import { HeadgateError } from '@headgate/gateway/ports'
import { type Admission, admit } from './admission.ts'
import { responseOf } from './answer.ts'
import type { Cookies } from './cookies.ts'
import type { Events } from './events/events.ts'
import type { ManagementParts } from './parts.ts'
import { fieldErrors } from './problem.ts'
import type { ApiRoute } from './route.ts'
import { ROUTES } from './routes.ts'

/** Serves a request of a streaming route; undefined for any other route. */
export type StreamingRoutes = (
  request: Request,
  asking: Pick<Admission, 'peer' | 'requestId' | 'attempted'>,
) => Promise<Response | undefined>

/** Placeholder for the rest of the path. */
const REST = '{path}'

/** Streaming routes, which pass requests and responses unchanged instead of parsing JSON. */
export function createStreamingRoutes(
  parts: ManagementParts,
  cookies: Cookies,
  base: string,
  events: Events,
): StreamingRoutes {
  const routes = ROUTES.filter(({ passes }) => passes)
  const prefixOf = ({ path }: ApiRoute): string => base + path.slice(0, -REST.length)

  return async (request, asking) => {
    const { pathname, searchParams } = new URL(request.url)
    const here = routes.filter((route) => pathname.startsWith(prefixOf(route)))
    if (here.length === 0) return undefined
    const route = here.find(({ method }) => method.toUpperCase() === request.method)
    if (!route) {
      const allow = here.map(({ method }) => method.toUpperCase()).join(', ')
      throw new HeadgateError('method-not-allowed', `This path supports only ${allow}.`, { allow })
    }
    const admitted = await admit(route, request, { parts, cookies, ...asking })
    const query = route.query.safeParse(Object.fromEntries(searchParams))
    if (!query.success) throw fieldErrors(query.error, 'query')
    const answer = await route.handle({
      parts,
      ...admitted,
      request,
      events,
      params: { path: pathname.slice(prefixOf(route).length) },
      query: query.data,
      body: {},
      match: undefined,
      version: undefined,
      lastEvent: undefined,
      access: admitted.access as never,
      organization: admitted.access?.organization ?? '',
    })
    return responseOf(route, answer, cookies, (parts.now ?? Date.now)())
  }
}

import { HeadgateError } from '@headgate/core/errors'
import type { RouteOperation } from './operation.ts'

/** Path parameters, such as `model` in `/v1beta/models/{model}:generateContent`. */
export type PathParameters = Readonly<Partial<Record<string, string>>>

/** Path and method with their documentation. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Documented path, such as `/v1/models/{id}`. Without parameters, this path is matched. */
  readonly path: string
  /** Reads the parameters of a path; undefined = the path does not match. Required if `path` has parameters. */
  readonly match?: (path: string, method: string) => PathParameters | undefined
  readonly operation: RouteOperation
  /** Set if a GET costs money. HEAD is not served then, because the paid response would not be read. */
  readonly isPaid?: boolean
}

/** A request and the route that matches it. */
export interface Routed<R extends Route> {
  readonly route: R
  readonly parameters: PathParameters
}

export interface Router<R extends Route> {
  /**
   * Route of a request; undefined if the path does not exist.
   * @throws HeadgateError `method-not-allowed` that lists the methods of the path
   */
  find(path: string, method: string): Routed<R> | undefined
}

const NOTHING: PathParameters = {}

/** Routes with GET also support HEAD, with the same head and no body, unless a GET costs money. */
function isRead({ route }: Routed<Route>): boolean {
  return route.method === 'GET' && !route.isPaid
}

/**
 * Creates a router. Fixed paths are looked up; other paths are matched in order. The first matching path wins, with all
 * its methods.
 */
export function createRouter<R extends Route>(routes: readonly R[]): Router<R> {
  const fixed = new Map<string, R[]>()
  const open: R[] = []
  for (const route of routes) {
    if (route.match) open.push(route)
    else fixed.set(route.path, [...(fixed.get(route.path) ?? []), route])
  }
  const found = (path: string, method: string): Routed<R>[] => {
    const known = fixed.get(path)
    if (known) return known.map((route) => ({ route, parameters: NOTHING }))
    const matching = open.flatMap((route) => {
      const parameters = route.match?.(path, method)
      return parameters ? [{ route, parameters }] : []
    })
    return matching.filter(({ route }) => route.path === matching[0]?.route.path)
  }
  return {
    find(path, method) {
      const all = found(path, method)
      const [first] = all
      if (!first) return undefined
      const one = all.find(({ route }) => route.method === method) ?? (method === 'HEAD' ? all.find(isRead) : undefined)
      if (one) return one
      const allow = [...new Set(all.flatMap((found) => (isRead(found) ? ['GET', 'HEAD'] : [found.route.method])))].join(
        ', ',
      )
      throw new HeadgateError('method-not-allowed', `${path} supports ${allow}, not ${method.slice(0, 16)}.`, {
        allow,
      })
    },
  }
}

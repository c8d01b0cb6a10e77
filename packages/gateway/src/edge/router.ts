import { HeadgateError } from '@headgate/core/errors'
import type { Operation } from './operation.ts'

/** What a path names: `model` of `/v1beta/models/{model}:generateContent`. */
export type PathParameters = Readonly<Partial<Record<string, string>>>

/** A path, a method of it, and what is documented of the two. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** As it is documented: `/v1/models/{id}`. Without parameters it is what is matched. */
  readonly path: string
  /** What the parameters of a path are; undefined = it is another path. Needed where `path` has parameters. */
  readonly match?: (path: string, method: string) => PathParameters | undefined
  readonly operation: Operation
  /** A GET of it costs money: HEAD is not served, as nobody would read what was paid for. */
  readonly isPaid?: boolean
}

/** A request that was found a route. */
export interface Routed<R extends Route> {
  readonly route: R
  readonly parameters: PathParameters
}

export interface Router<R extends Route> {
  /**
   * The route of a request; undefined for a path that does not exist.
   * @throws HeadgateError `method-not-allowed` that names the methods of the path.
   */
  find(path: string, method: string): Routed<R> | undefined
}

const NOTHING: PathParameters = {}

/** What answers to GET answers to HEAD as well: by the same head, and nothing after it. Not where that is paid for. */
function isRead({ route }: Routed<Route>): boolean {
  return route.method === 'GET' && !route.isPaid
}

/**
 * Finds routes: fixed paths by one look, the others in their order. The first path that matches counts, with all its
 * methods.
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
      throw new HeadgateError('method-not-allowed', `${path} answers to ${allow}, not to ${method.slice(0, 16)}.`, {
        allow,
      })
    },
  }
}

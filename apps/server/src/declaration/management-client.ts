import { HeadgateError } from '@headgate/gateway/ports'

/** Time limit of one request, in milliseconds. */
const LIMIT_MS = 30_000
/** Maximum number of pages of a list. */
const MAX_PAGES = 1_000

export interface ManagementRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: object | undefined
  /** Version that the resource must still have. */
  readonly version?: number | undefined
}

/** Client of the management API. Requests reject with an error that has the gateway's sentence. */
export interface ManagementClient {
  request<Body>(path: string, request?: ManagementRequest): Promise<Body>
  /** All items of a list. */
  list<Item>(path: string): Promise<readonly Item[]>
}

export interface ManagementAddress {
  /** URL of the gateway, with its path prefix. */
  readonly url: string
  /** Key with the scope `admin`. */
  readonly key: string
}

export function createManagementClient({ url, key }: ManagementAddress): ManagementClient {
  const base = `${url.replace(/\/+$/, '')}/api/v1`
  const request = async <Body>(path: string, { method = 'GET', body, version }: ManagementRequest = {}) => {
    const response = await fetch(`${base}${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(version !== undefined && { 'if-match': `"${version}"` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw failure(`${url} does not answer: ${reasonOf(error)}`)
    })
    const text = await response.text()
    if (response.ok) return (text === '' ? undefined : parsed(text)) as Body
    const problem = parsed(text) as { detail?: unknown } | undefined
    const detail = typeof problem?.detail === 'string' ? problem.detail : 'The response is not from a gateway.'
    throw failure(`${method} ${path} failed with ${response.status}: ${detail}`)
  }
  return {
    request,
    async list<Item>(path: string) {
      const items: Item[] = []
      let cursor: string | undefined
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = new URLSearchParams({ limit: '1000', ...(cursor !== undefined && { cursor }) })
        const found = await request<{ items: readonly Item[]; cursor?: string }>(`${path}?${query}`)
        items.push(...found.items)
        if (found.cursor === undefined) return items
        cursor = found.cursor
      }
      throw failure(`${path} has more than ${MAX_PAGES} pages.`)
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  const inner = cause instanceof Error ? cause : error
  return inner instanceof Error ? inner.message : String(inner)
}

function failure(message: string): HeadgateError {
  return new HeadgateError('invalid-request', message)
}

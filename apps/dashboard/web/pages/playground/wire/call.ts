import { API } from '../../../api/ask.ts'
import { currentOrganization } from '../../../api/organization.ts'
import { Problem, type ProblemDetails, problemFrom, unreachable } from '../../../api/problem.ts'

/** A request of a model path, by the key that the gateway keeps for who is signed in. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Without a slash at its beginning: `v1/chat/completions`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly project?: string | undefined
  readonly signal?: AbortSignal
}

/** Longest text of an answer that says what is wrong, in characters. */
const LONGEST_REFUSAL = 64_000

/** Asks by a model path. @throws Problem for every answer that is none, whatever the shape of its errors. */
export async function call({ method, path, query = {}, headers = {}, body, project, signal }: Call): Promise<Response> {
  const search = new URLSearchParams(query)
  const organization = currentOrganization()
  if (organization !== undefined) search.set('organization', organization)
  if (project !== undefined) search.set('project', project)
  const text = search.toString()
  const response = await fetch(`${API}/playground/${path}${text === '' ? '' : `?${text}`}`, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    // Pages of others send no such type without being asked first: so it is needed where there is no body, too.
    headers: { ...headers, 'content-type': 'application/json' },
    body: body ?? null,
    signal: signal ?? null,
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable()
  })
  if (!response.ok) throw await refusal(response)
  return response
}

async function refusal(response: Response): Promise<Problem> {
  const text = (await response.text().catch(() => '')).slice(0, LONGEST_REFUSAL)
  const body = parsed(text)
  if (response.headers.get('content-type')?.startsWith('application/problem+json')) return problemFrom(response, body)
  const detail = messageOf(body) ?? `The gateway answered ${response.status}.`
  const details: ProblemDetails = {
    type: 'about:blank',
    title: `Refused with ${response.status}`,
    status: response.status,
    detail,
    instance: response.headers.get('x-request-id') ?? '',
  }
  return new Problem(details)
}

/** JSON as a value; undefined for anything else. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What an error of a family says: all of them have `error.message`. */
export function messageOf(body: unknown): string | undefined {
  const error = isRecord(body) ? body['error'] : undefined
  const message = isRecord(error) ? error['message'] : error
  return typeof message === 'string' && message !== '' ? message : undefined
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Longest answer that is read, in characters. */
const LONGEST = 32_000_000
/** How much of it is kept as it came. */
const KEPT = 128_000

/** One request that was answered as a whole, as the page has seen it. */
export interface Plain {
  readonly requestId: string
  readonly provider: string
  readonly lost: string
  readonly sent: string
  readonly received: string
  readonly ms: number
  readonly answer: unknown
}

/** Asks, and reads the whole answer. @throws Problem */
export async function askPlain(asked: Call): Promise<Plain> {
  const begun = performance.now()
  const response = await call(asked)
  const text = await response.text()
  if (text.length > LONGEST) throw new Error('The answer is too long to be shown here.')
  const header = (name: string): string => response.headers.get(name) ?? ''
  const query = new URLSearchParams(asked.query).toString()
  return {
    requestId: header('x-request-id'),
    provider: header('headgate-vendor'),
    lost: header('headgate-lost'),
    sent: asked.body ?? `${asked.method} /${asked.path}${query === '' ? '' : `?${query}`}`,
    received: text.slice(0, KEPT),
    ms: performance.now() - begun,
    answer: text === '' ? undefined : JSON.parse(text),
  }
}

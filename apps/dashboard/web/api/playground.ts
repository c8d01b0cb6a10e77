import { API } from './call.ts'
import { currentOrganization } from './organization.ts'
import { ApiProblem, type ProblemDetails, problemFrom, unreachable } from './problem.ts'

/** Request to a model path, sent with the playground key of the user. */
export interface ModelCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path without a leading slash: `v1/chat/completions`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or a form with files. */
  readonly body?: string | FormData
  readonly project?: string | undefined
  readonly signal?: AbortSignal
}

/**
 * Headers that other origins cannot send without a CORS preflight, so the API requires one of them even without a
 * body. The browser writes the type of a form.
 */
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM = { 'x-requested-with': 'headgate' }

/** Maximum length of an error response, in characters. */
const MAX_ERROR = 64_000

/** Sends a request to a model path. @throws ApiProblem for each error response, in any format */
export async function callPlayground({
  method,
  path,
  query = {},
  headers = {},
  body,
  project,
  signal,
}: ModelCall): Promise<Response> {
  const search = new URLSearchParams(query)
  const organization = currentOrganization()
  if (organization !== undefined) search.set('organization', organization)
  if (project !== undefined) search.set('project', project)
  const text = search.toString()
  const response = await fetch(`${API}/playground/${path}${text === '' ? '' : `?${text}`}`, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { ...headers, ...(body instanceof FormData ? FORM : JSON_TYPE) },
    body: body ?? null,
    signal: signal ?? null,
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable()
  })
  if (!response.ok) throw await refusal(response)
  return response
}

async function refusal(response: Response): Promise<ApiProblem> {
  const text = (await response.text().catch(() => '')).slice(0, MAX_ERROR)
  const body = parsed(text)
  if (response.headers.get('content-type')?.startsWith('application/problem+json')) return problemFrom(response, body)
  const detail = messageOf(body) ?? `The gateway returned status ${response.status}.`
  const details: ProblemDetails = {
    type: 'about:blank',
    title: `Request failed with status ${response.status}`,
    status: response.status,
    detail,
    instance: response.headers.get('x-request-id') ?? '',
  }
  return new ApiProblem(details)
}

/** Parsed JSON; undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Message of an error response. All formats have `error.message`. */
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

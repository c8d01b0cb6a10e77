import { once } from 'node:events'
import { type Agent, request as httpRequest } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Order } from './charging-vendor.ts'

/** Way to have a vendor work without the gateway learning what that costs. */
export interface Attack {
  readonly name: string
  readonly how: Order['how']
  /** Default `exact`; `either` falls back to a second provider, which is the same vendor. */
  readonly model?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Fields beside model and messages; default a limit of 1,000 tokens. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Creates a background response, and cancels it once the vendor works. */
  readonly isCanceled?: boolean
  /** Leaves while the vendor works. */
  readonly isLeaving?: boolean
}

const LIMIT = { max_tokens: 1_000 }
/** Shortened time of a request: the vendor has the request by then. */
const SHORT = { 'headgate-timeout-ms': '250' }

export const ATTACKS: readonly Attack[] = [
  { name: 'a deadline that ends before the response', how: 'silent', headers: SHORT },
  { name: 'a canceled background response', how: 'silent', isCanceled: true },
  { name: 'a caller that leaves', how: 'silent', isLeaving: true },
  { name: 'a response above limits.answer', how: 'large' },
  { name: 'resets with a fallback', how: 'reset', model: 'either' },
  { name: 'more output than the limit', how: 'beyond' },
  { name: 'a stream that breaks off', how: 'cut', fields: { ...LIMIT, stream: true } },
  { name: 'Max_Tokens beside max_tokens', how: 'whole', fields: { max_tokens: 1_000, Max_Tokens: 4_000 } },
  { name: 'max-tokens beside max_tokens', how: 'whole', fields: { max_tokens: 1_000, 'max-tokens': 4_000 } },
  {
    name: 'max_tokens beside max_completion_tokens',
    how: 'whole',
    fields: { max_tokens: 4_000, max_completion_tokens: 1_000 },
  },
]

/** Result of a request: 0 if the connection broke. */
export interface Result {
  readonly status: number
  /** Whether the gateway says that a retry makes no sense. */
  readonly isFinal: boolean
  /** Seconds. */
  readonly retryAfter?: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface Call {
  readonly url: string
  readonly path: string
  readonly key: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export async function post(agent: Agent, { url, path, key, body = {}, headers, signal }: Call): Promise<Result> {
  const request = httpRequest(url + path, {
    method: 'POST',
    agent,
    signal,
    headers: Object.assign({ authorization: `Bearer ${key}`, 'content-type': 'application/json' }, headers),
  })
  request.end(JSON.stringify(body))
  try {
    const [response] = await once(request, 'response')
    const isFinal = response.headers['x-should-retry'] === 'false'
    const after: string | undefined = response.headers['retry-after']
    const read = json(response).catch(() => ({}))
    return {
      status: response.statusCode,
      isFinal,
      ...(after && { retryAfter: Number(after) }),
      body: Object(await read),
    }
  } catch {
    return { status: 0, isFinal: false, body: {} }
  }
}

/** Makes one attack. Resolves with whether the key is out of money. */
export async function attack(agent: Agent, to: Pick<Call, 'url' | 'key'>, run: string, one: Attack): Promise<boolean> {
  const { how, model = 'exact', headers, fields = LIMIT, isCanceled, isLeaving } = one
  const content = JSON.stringify({ run, how, output: 4_000 } satisfies Order)
  const at = { ...to, headers: headers ?? {} }
  if (isCanceled) {
    const body = { model, input: content, background: true, max_output_tokens: 1_000 }
    const created = await post(agent, { ...at, path: '/v1/responses', body })
    // The vendor has it by then: a cancellation is another request.
    await new Promise((resolve) => setTimeout(resolve, 250))
    if (created.status === 200) await post(agent, { ...at, path: `/v1/responses/${created.body['id']}/cancel` })
    return created.status === 429 && created.isFinal
  }
  const body = Object.assign({ model, messages: [{ role: 'user', content }] }, fields)
  const signal = isLeaving ? AbortSignal.timeout(250) : undefined
  const { status, isFinal } = await post(agent, {
    ...at,
    path: '/v1/chat/completions',
    body,
    ...(signal && { signal }),
  })
  return status === 429 && isFinal
}

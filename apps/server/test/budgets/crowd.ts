import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Wish } from './paid-upstream.ts'

/** A request that is made. */
export interface Asked extends Wish {
  readonly url: string
  readonly key: string
  readonly model: string
  /** Absent = the request has no limit of its own. */
  readonly maxTokens?: number
  readonly stream?: boolean
  /** Leaves with the first bytes of the answer. */
  readonly isLeaving?: boolean
}

/** What came of a request: 0 where the connection broke. */
export interface Answer {
  readonly number: number
  readonly status: number
  /** Whether to ask again makes sense, and after how many seconds. */
  readonly shouldRetry: boolean
  readonly retryAfter: number | undefined
  readonly cost: string | undefined
  readonly body: string
}

/** Connections of a crowd; to be destroyed. */
export function createConnections(): Agent {
  return new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 1_024 })
}

export function ask(
  agent: Agent,
  { url, key, model, maxTokens, stream = false, isLeaving = false, ...wish }: Asked,
): Promise<Answer> {
  const broken = {
    number: wish.number,
    status: 0,
    shouldRetry: false,
    retryAfter: undefined,
    cost: undefined,
    body: '',
  }
  const messages = [{ role: 'user', content: JSON.stringify(wish) }]
  const body = JSON.stringify({ model, messages, stream, ...(maxTokens !== undefined && { max_tokens: maxTokens }) })
  return new Promise((resolve) => {
    const request = httpRequest(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    })
    request.on('error', () => resolve(broken))
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      const told = {
        status,
        shouldRetry: headers['x-should-retry'] !== 'false',
        retryAfter: headers['retry-after'] === undefined ? undefined : Number(headers['retry-after']),
        cost: headers['headgate-cost']?.toString(),
      }
      if (isLeaving && status === 200) {
        response.once('data', () => request.destroy())
        response.on('error', () => {})
        response.on('close', () => resolve({ ...broken, ...told }))
        return
      }
      text(response).then(
        (said) => resolve({ ...broken, ...told, body: said }),
        () => resolve(broken),
      )
    })
    request.end(body)
  })
}

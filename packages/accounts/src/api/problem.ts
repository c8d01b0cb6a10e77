import { type ErrorKind, HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'

/** What went wrong, as RFC 9457 says it. */
export const Problem = z
  .object({
    type: z.string().openapi({
      description: 'Says the kind, as `docs/errors.md` lists them.',
      example: 'urn:headgate:error:conflict',
    }),
    title: z.string(),
    status: z.int(),
    detail: z.string().openapi({ description: 'What to do about it.' }),
    instance: z.string().openapi({ description: 'Id of the request.' }),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: 'The fields at fault.' }),
  })
  .openapi('Problem')

const TITLES: Partial<Readonly<Record<ErrorKind, string>>> = {
  'invalid-request': 'The request is not valid',
  'bad-key': 'Nobody is signed in by this',
  forbidden: 'This is not allowed',
  'not-found': 'There is no such thing',
  'method-not-allowed': 'The path has no such method',
  conflict: 'It is not as the request takes it to be',
  'too-large': 'The request is too large',
  'too-slow': 'The request came too slowly',
  'over-limit': 'Too many requests',
  unavailable: 'The store does not answer',
  upstream: 'Somebody else’s server has failed',
  timeout: 'Somebody else’s server was too slow',
}

/** One line of what is wrong with a request. */
export interface FieldError {
  readonly field: string
  readonly message: string
}

/** What is wrong with several fields of a request. */
export class FieldErrors extends HeadgateError {
  readonly errors: readonly FieldError[]

  constructor(errors: readonly FieldError[]) {
    const [first] = errors
    super('invalid-request', first ? `\`${first.field}\`: ${first.message}` : 'The request is not valid.', {
      param: first?.field,
    })
    this.errors = errors
  }
}

/** Most fields that an answer names. */
const MOST = 50

/** What a schema says, by field. What was sent is not repeated. */
export function fieldErrors({ issues }: z.ZodError, where: string): FieldErrors {
  const errors = issues.flatMap((issue): FieldError[] => {
    const path = issue.path
      .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
      .join('')
    if (issue.code !== 'unrecognized_keys') return [{ field: path || where, message: issue.message }]
    return issue.keys.map((key) => ({
      field: path ? `${path}.${shown(key)}` : shown(key),
      message: 'There is no such field.',
    }))
  })
  return new FieldErrors(errors.slice(0, MOST))
}

/** A name that somebody else has given. */
function shown(key: string): string {
  return key.slice(0, 100)
}

/** The answer to a request that failed. */
export function problemOf(error: HeadgateError, requestId: string): Response {
  const { kind, status, message, param, retryAfterMs, allow } = error
  const errors =
    error instanceof FieldErrors ? error.errors : param === undefined ? undefined : [{ field: param, message }]
  const problem: z.input<typeof Problem> = {
    type: `urn:headgate:error:${kind}`,
    title: TITLES[kind] ?? 'The gateway has failed',
    status,
    detail: message,
    instance: requestId,
    ...(errors && { errors: [...errors] }),
  }
  const headers = new Headers({ 'content-type': 'application/problem+json' })
  if (retryAfterMs !== undefined) headers.set('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
  if (allow !== undefined) headers.set('allow', allow)
  if (status === 401) headers.set('www-authenticate', 'Bearer realm="headgate"')
  return new Response(JSON.stringify(problem), { status, headers })
}

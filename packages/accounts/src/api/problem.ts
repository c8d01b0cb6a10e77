import { type ErrorKind, HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import { issueSentence } from './sentences.ts'

/** Error as defined by RFC 9457. */
export const Problem = z
  .object({
    type: z.string().openapi({
      description: 'Kind of the error; `docs/errors.md` lists them.',
      example: 'urn:headgate:error:conflict',
    }),
    title: z.string(),
    status: z.int(),
    detail: z.string().openapi({ description: 'Description of the error, with advice.' }),
    instance: z.string().openapi({ description: 'Id of the request.' }),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: 'Invalid fields.' }),
  })
  .openapi('Problem')

const TITLES: Partial<Readonly<Record<ErrorKind, string>>> = {
  'invalid-request': 'The request is not valid',
  'bad-key': 'Authentication failed',
  forbidden: 'Permission denied',
  'not-found': 'Not found',
  'method-not-allowed': 'Method not allowed',
  conflict: 'Precondition failed',
  'too-large': 'The request is too large',
  'too-slow': 'The request arrived too slowly',
  'over-limit': 'Too many requests',
  unavailable: 'The store is unavailable',
  upstream: 'An upstream server failed',
  timeout: 'An upstream server was too slow',
}

/** Problem with one field of a request. */
export interface FieldError {
  readonly field: string
  readonly message: string
}

/** Problems with several fields of a request. */
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

/** Maximum number of fields in an error. */
const MOST = 50

/** Schema problems by field. Sent values are not repeated. */
export function fieldErrors({ issues }: z.ZodError, where: string): FieldErrors {
  const errors = issues.flatMap((issue): FieldError[] => {
    const path = issue.path
      .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
      .join('')
    if (issue.code !== 'unrecognized_keys') return [{ field: path || where, message: issueSentence(issue) }]
    return issue.keys.map((key) => ({
      field: path ? `${path}.${shown(key)}` : shown(key),
      message: 'There is no such field.',
    }))
  })
  return new FieldErrors(errors.slice(0, MOST))
}

/** Field name from a request, shortened. */
function shown(key: string): string {
  return key.slice(0, 100)
}

/** Response to a failed request. */
export function problemOf(error: HeadgateError, requestId: string): Response {
  const { kind, status, message, param, retryAfterMs, allow } = error
  const errors =
    error instanceof FieldErrors ? error.errors : param === undefined ? undefined : [{ field: param, message }]
  const problem: z.input<typeof Problem> = {
    type: `urn:headgate:error:${kind}`,
    title: TITLES[kind] ?? 'The gateway failed',
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

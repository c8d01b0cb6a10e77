/** What the API says of a request that it refused: problem details of RFC 9457. */
export interface ProblemDetails {
  readonly type: string
  readonly title: string
  readonly status: number
  /** What to do about it. */
  readonly detail: string
  /** Id of the request. */
  readonly instance: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[] | undefined
}

/** A request that was not answered as it should be. */
export class Problem extends Error {
  readonly details: ProblemDetails
  /** When it may be asked again, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(details: ProblemDetails, retryAfterMs?: number) {
    super(details.detail)
    this.name = 'Problem'
    this.details = details
    this.retryAfterMs = retryAfterMs
  }

  get status(): number {
    return this.details.status
  }

  /** What is wrong with a field of the body, as `name` or `budgets[0].limit`. */
  of(field: string): string | undefined {
    return this.details.errors?.find((error) => error.field === field)?.message
  }

  /** Whether who asks has to show who they are once more, since it is sensitive. */
  get wantsConfirmation(): boolean {
    return this.status === 403 && this.of('session') !== undefined
  }
}

/** A gateway that does not answer at all. */
export const UNREACHABLE = 0

/** What was answered instead of what was asked for, whatever it is. */
export function problemFrom(response: Response, body: unknown): Problem {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : undefined
  const given = isRecord(body) ? body : {}
  const text = (name: string, other: string): string => (typeof given[name] === 'string' ? given[name] : other)
  const details: ProblemDetails = {
    type: text('type', 'about:blank'),
    title: text('title', 'The gateway has failed'),
    status: response.status,
    detail: text('detail', `The gateway answered ${response.status}.`),
    instance: text('instance', response.headers.get('x-request-id') ?? ''),
    errors: Array.isArray(given['errors']) ? given['errors'].filter(isFieldError) : undefined,
  }
  return new Problem(details, retryAfterMs)
}

export function unreachable(): Problem {
  const detail = 'The gateway does not answer. It may be starting, or the network may be gone.'
  return new Problem({ type: 'about:blank', title: 'No answer', status: UNREACHABLE, detail, instance: '' })
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new Problem({ type: 'about:blank', title: 'The page has failed', status: -1, detail, instance: '' })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isFieldError(value: unknown): value is { field: string; message: string } {
  return isRecord(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string'
}

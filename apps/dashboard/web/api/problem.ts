/** Problem details (RFC 9457) of a rejected request. */
export interface ProblemDetails {
  readonly type: string
  readonly title: string
  readonly status: number
  /** Explanation and next step. */
  readonly detail: string
  /** ID of the request. */
  readonly instance: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[] | undefined
}

/** Error of a failed request. */
export class ApiProblem extends Error {
  readonly details: ProblemDetails
  /** Time to wait before a retry, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(details: ProblemDetails, retryAfterMs?: number) {
    super(details.detail)
    this.name = 'ApiProblem'
    this.details = details
    this.retryAfterMs = retryAfterMs
  }

  get status(): number {
    return this.details.status
  }

  /** Error message of a field of the body, such as `name` or `budgets[0].limit`. */
  of(field: string): string | undefined {
    return this.details.errors?.find((error) => error.field === field)?.message
  }

  /** True if the user must confirm their identity before this action. */
  get wantsConfirmation(): boolean {
    return this.status === 403 && this.of('session') !== undefined
  }
}

/** Status of a problem for which there is no response. */
export const UNREACHABLE = 0

/** Problem from an error response with any body. */
export function problemFrom(response: Response, body: unknown): ApiProblem {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : undefined
  const given = isRecord(body) ? body : {}
  const text = (name: string, other: string): string => (typeof given[name] === 'string' ? given[name] : other)
  const details: ProblemDetails = {
    type: text('type', 'about:blank'),
    title: text('title', 'Request failed'),
    status: response.status,
    detail: text('detail', `The gateway returned status ${response.status}.`),
    instance: text('instance', response.headers.get('x-request-id') ?? ''),
    errors: Array.isArray(given['errors']) ? given['errors'].filter(isFieldError) : undefined,
  }
  return new ApiProblem(details, retryAfterMs)
}

export function unreachable(): ApiProblem {
  const detail = 'The gateway is unreachable. It may be starting, or the network may be down.'
  return new ApiProblem({ type: 'about:blank', title: 'No response', status: UNREACHABLE, detail, instance: '' })
}

/** Sentence for an error of the page itself, whose message is for developers. */
const UNEXPECTED = 'The page could not finish this. Reload it and try again.'

/** Error whose message is a sentence for users. */
export class UserError extends Error {}

export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  const detail = error instanceof UserError ? error.message : UNEXPECTED
  return new ApiProblem({ type: 'about:blank', title: 'Unexpected error', status: -1, detail, instance: '' })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isFieldError(value: unknown): value is { field: string; message: string } {
  return isRecord(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string'
}

/** Format of IDs of requests to the gateway: the first 12 digits are the start in Unix milliseconds. */
const REQUEST = /^req_([0-9a-f]{12})[0-9a-f]{20}$/

/** Start of a request in Unix milliseconds; undefined = the text is not a request ID. */
export function startOfRequest(id: string): number | undefined {
  const [, time] = REQUEST.exec(id) ?? []
  return time === undefined ? undefined : Number.parseInt(time, 16)
}

/** Time after the end of a request until its record is stored, in milliseconds. */
const STORED_AFTER = 60_000

/** Reason why there is no record of a request. */
export interface MissingReason {
  readonly start: number | undefined
  readonly reasons: readonly string[]
}

/** Reasons why a request has no record. @param isAll true if the user can see the requests of all keys */
export function missingReasons(id: string, now: number, isAll: boolean): MissingReason {
  const start = startOfRequest(id)
  if (start === undefined)
    return {
      start,
      reasons: [
        'This is not a complete request ID. Copy the whole header `x-request-id`: `req_` and 32 hexadecimal digits.',
      ],
    }
  const reasons = [
    'The API key was missing or wrong. Such requests are only counted.',
    'The record is older than the retention period. Refused requests are kept for 7 days.',
    'The caller sent more than 10 refused requests per second. All are counted, but only some have a record.',
    isAll
      ? 'The request belongs to another organization.'
      : 'The request belongs to the key of another person, or to another organization.',
    'The ID is from a request to the dashboard or to `/api/v1`. These are not recorded.',
  ]
  if (now - start < STORED_AFTER) reasons.unshift('The request is still running, or its record is not stored yet.')
  return { start, reasons }
}

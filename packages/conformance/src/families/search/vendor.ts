import { isObject } from '../../json.ts'
import type { Received, UpstreamReply } from '../../upstream.ts'
import type { SearchUpstreamFacts, Understood, VendorRequest, VendorResult } from './facts.ts'

/** Simulated vendor with one list for all queries. */
export interface SearchVendor {
  /** Responds according to its facts. */
  answer(request: Received): UpstreamReply
  /** Reasons for its 400 responses, oldest first. */
  readonly refusals: readonly string[]
}

/** Page sizes, in turn, of a vendor that decides them. */
const LENGTHS = [10, 7, 16] as const

export function createVendor(upstream: SearchUpstreamFacts, list: readonly VendorResult[]): SearchVendor {
  const refusals: string[] = []
  const refuse = (reason: string): UpstreamReply => {
    refusals.push(reason)
    return jsonReply(errorBody(upstream, 400), 400)
  }
  return {
    refusals,
    answer(received) {
      try {
        const understood = upstream.read(vendorRequest(received))
        const slice = sliceOf(understood, upstream)
        if (typeof slice === 'string') return refuse(slice)
        const results = list.slice(slice.offset, slice.offset + slice.limit)
        const more = slice.offset + slice.limit < list.length
        return jsonReply(upstream.write(results, { more, total: list.length, query: String(understood.q) }))
      } catch (error) {
        return refuse(`\`read\` or \`write\` of the facts throws: ${String(error)}`)
      }
    },
  }
}

/** Request in the form that facts read. */
export function vendorRequest({ method, path, query, headers, body }: Received): VendorRequest {
  return { method, path, query, headers, body: isObject(body) ? body : undefined }
}

/** Query that the vendor reads. Undefined if it cannot read the request. */
export function wordsOf(received: Received, upstream: SearchUpstreamFacts): unknown {
  try {
    return upstream.read(vendorRequest(received)).q
  } catch {
    return undefined
  }
}

/** JSON response; the facts can also give its body as a string. */
export function jsonReply(
  body: string | object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): UpstreamReply {
  return { kind: 'whole', status, headers: { 'content-type': 'application/json', ...headers }, body }
}

/** Error body as the vendor documents it. */
export function errorBody({ error }: SearchUpstreamFacts, status: number): string | object {
  return error?.(status) ?? { error: { message: `This is an error with status ${status}.` } }
}

/** Part of the list that a request selects, or the vendor's reason to reject it. */
function sliceOf({ q, limit, page = 0, offset }: Understood, { maxLimit = Infinity }: SearchUpstreamFacts) {
  if (typeof q !== 'string' || q.trim() === '') return `q is ${JSON.stringify(q)}`
  if (!isCount(offset ?? page))
    return `${offset === undefined ? `page is ${page}` : `offset is ${offset}`}, which is not an integer from 0`
  if (limit === undefined)
    return offset === undefined ? ownPage(Number(page)) : { offset: Number(offset), limit: LENGTHS[0] }
  if (!isCount(limit) || limit === 0) return `limit is ${limit}, which is not an integer from 1`
  if (Number(limit) > maxLimit) return `limit is ${limit}, but the vendor accepts ${maxLimit} at most`
  return { offset: Number(offset ?? Number(page) * Number(limit)), limit: Number(limit) }
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0
}

function ownPage(page: number): { offset: number; limit: number } {
  const length = (index: number) => LENGTHS[index % LENGTHS.length] ?? LENGTHS[0]
  const offset = Array.from({ length: page }, (_, index) => length(index)).reduce((sum, one) => sum + one, 0)
  return { offset, limit: length(page) }
}

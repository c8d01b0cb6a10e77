import { isObject } from '../../json.ts'
import type { Received, Reply } from '../../upstream.ts'
import type { Result, SearchUpstreamFacts, Understood, VendorRequest } from './facts.ts'

/** A vendor that holds one list, whatever is looked for. */
export interface SearchVendor {
  /** Answers as its facts say. */
  answer(request: Received): Reply
  /** Why it answered with a 400, oldest first. */
  readonly refusals: readonly string[]
}

/** Lengths of pages, in turn, where the vendor decides them itself. */
const LENGTHS = [10, 7, 16] as const

export function createVendor(upstream: SearchUpstreamFacts, list: readonly Result[]): SearchVendor {
  const refusals: string[] = []
  const refuse = (reason: string): Reply => {
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

/** A request as facts read it. */
export function vendorRequest({ method, path, query, headers, body }: Received): VendorRequest {
  return { method, path, query, headers, body: isObject(body) ? body : undefined }
}

/** The words that the vendor reads; undefined where it can not read the request. */
export function wordsOf(received: Received, upstream: SearchUpstreamFacts): unknown {
  try {
    return upstream.read(vendorRequest(received)).q
  } catch {
    return undefined
  }
}

/** A JSON answer, also where facts give its text. */
export function jsonReply(body: string | object, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { kind: 'whole', status, headers: { 'content-type': 'application/json', ...headers }, body }
}

/** The body of an error as the vendor documents it. */
export function errorBody({ error }: SearchUpstreamFacts, status: number): string | object {
  return error?.(status) ?? { error: { message: `This is an error with status ${status}.` } }
}

/** Where in the list the results are that a request asks for, or why the vendor does not take it. */
function sliceOf({ q, limit, page = 0, offset }: Understood, { maxLimit = Infinity }: SearchUpstreamFacts) {
  if (typeof q !== 'string' || q.trim() === '') return `q is ${JSON.stringify(q)}`
  if (!isCount(offset ?? page))
    return `${offset === undefined ? `page is ${page}` : `offset is ${offset}`}, no whole number from 0`
  if (limit === undefined)
    return offset === undefined ? ownPage(Number(page)) : { offset: Number(offset), limit: LENGTHS[0] }
  if (!isCount(limit) || limit === 0) return `limit is ${limit}, no whole number from 1`
  if (Number(limit) > maxLimit) return `limit is ${limit}, the vendor takes ${maxLimit} at most`
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

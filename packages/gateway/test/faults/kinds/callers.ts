import { gzipSync } from 'node:zlib'
import type { CallerRequest } from '../request.ts'
import type { FormatId } from '../scene.ts'

/** When a caller leaves. */
export type Leave = 'within its body' | 'asked' | 'head' | 'body' | 'finish'

/** Something that a caller does wrong, or that happens to it. */
export interface CallerFault {
  readonly name: string
  readonly leave?: Leave
  /** Does not read for so many milliseconds once the answer has begun. */
  readonly halt?: number
  /** Sends its body so many bytes at a time. */
  readonly pieces?: number
  readonly change?: (request: CallerRequest, format: FormatId) => CallerRequest
  /** The status of the answer; nothing reaches a provider then. */
  readonly refused?: number
  /** Its time is short, so that any answer may end by it. */
  readonly hurries?: true
}

function headers(more: Readonly<Record<string, string>>): (request: CallerRequest) => CallerRequest {
  return (request) => ({ ...request, headers: { ...request.headers, ...more } })
}

function body(edit: (text: string, format: FormatId) => string | Uint8Array) {
  return (request: CallerRequest, format: FormatId): CallerRequest => ({
    ...request,
    body: Buffer.from(edit(request.body.toString(), format)),
  })
}

const turns = (format: FormatId): string => (format === 'generate-content' ? 'contents' : 'messages')

/** The body with a top-level member replaced. */
function member(key: (format: FormatId) => string, value: unknown) {
  return body((text, format) => JSON.stringify({ ...(JSON.parse(text) as object), [key(format)]: value }))
}

/** The body with a member before all others. */
const before = (members: string) => body((text) => `{${members},${text.slice(1)}`)

const DEPTH = 2_000

/** Callers that leave, dawdle or are in a hurry. */
const manners: readonly CallerFault[] = [
  { name: 'leaves within its body', leave: 'within its body' },
  { name: 'leaves once a provider is asked', leave: 'asked' },
  { name: 'leaves at the head', leave: 'head' },
  { name: 'leaves in the body', leave: 'body' },
  { name: 'leaves after the finish', leave: 'finish' },
  { name: 'does not read for a while', halt: 40 },
  { name: 'sends byte by byte', pieces: 1 },
  { name: 'sends in pieces', pieces: 40 },
  { name: 'allows 1 ms', hurries: true, change: headers({ 'headgate-timeout-ms': '1' }) },
  { name: 'allows 30 ms', hurries: true, change: headers({ 'headgate-timeout-ms': '30' }) },
]

/** Requests that are odd and good. */
const odd: readonly CallerFault[] = [
  {
    name: 'compresses its body',
    change: (request) => ({ ...headers({ 'content-encoding': 'gzip' })(request), body: gzipSync(request.body) }),
  },
  { name: 'sends a byte order mark', change: body((text) => `\ufeff${text}`) },
  { name: 'sends white space', change: body((text) => ` \n\t${text}\r\n `) },
  { name: 'says that it sends text', change: headers({ 'content-type': 'text/plain' }) },
  {
    name: 'sends 100 KB of fields that nobody knows',
    change: before(`"unknown":${JSON.stringify(Array(10_000).fill('x y z'))}`),
  },
  { name: 'nests deeply', change: before(`"unknown":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`) },
  { name: 'asks to be told to go on', change: headers({ expect: '100-continue' }) },
]

/** Paths that do not exist, by the format that their callers understand. */
const NOWHERE: Readonly<Record<FormatId, string>> = {
  'chat-completions': '/v1/nothing',
  messages: '/v1/messages/nothing',
  'generate-content': '/v1beta/nothing',
}

/** Requests that can not be served. */
const refused: readonly CallerFault[] = [
  { name: 'sends half of JSON', refused: 400, change: body((text) => text.slice(0, text.length >> 1)) },
  { name: 'sends no body', refused: 400, change: body(() => '') },
  { name: 'sends a list', refused: 400, change: body(() => '[]') },
  { name: 'sends null', refused: 400, change: body(() => 'null') },
  { name: 'sends bytes that are no text', refused: 400, change: body(() => Uint8Array.of(0xff, 0xfe, 0, 1, 2)) },
  {
    name: 'sends a key twice',
    refused: 400,
    change: body((text, format) => `{"${turns(format)}":[],${text.slice(1)}`),
  },
  { name: 'sends a text for its messages', refused: 400, change: member(turns, 'Hello') },
  { name: 'sends no messages', refused: 400, change: member(turns, undefined) },
  { name: 'says gzip and sends none', refused: 400, change: headers({ 'content-encoding': 'gzip' }) },
  { name: 'says an encoding that is none', refused: 400, change: headers({ 'content-encoding': 'x-none' }) },
  { name: 'allows a time that is no number', refused: 400, change: headers({ 'headgate-timeout-ms': 'soon' }) },
  { name: 'names a vendor that is none', refused: 400, change: headers({ vendor: 'nobody' }) },
  { name: 'sends too much', refused: 413, change: before(`"unknown":"${'x'.repeat(400_000)}"`) },
  { name: 'has a wrong key', refused: 401, change: headers({ authorization: 'Bearer sk-wrong' }) },
  { name: 'has no key', refused: 401, change: headers({ authorization: 'Basic abc' }) },
  { name: 'is a browser', refused: 403, change: headers({ origin: 'https://example.com' }) },
  {
    name: 'calls a path that is none',
    refused: 404,
    change: (request, format) => ({ ...request, path: NOWHERE[format] }),
  },
  { name: 'calls by a wrong method', refused: 405, change: (request) => ({ ...request, method: 'PUT' }) },
]

export const CALLER_FAULTS: readonly CallerFault[] = [...manners, ...odd, ...refused]

export const GOOD_CALLER: CallerFault = { name: 'none' }

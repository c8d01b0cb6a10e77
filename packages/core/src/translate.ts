import { isTooDeep, MAX_DEPTH } from './canonical/depth.ts'
import { ownPaths } from './canonical/field-names.ts'
import type { Format, Origin, Reply, Restore } from './canonical/format.ts'
import { type FetchedMedia, inlineMedia, type LinkedMedia, linkedMedia, standInMedia } from './canonical/inline.ts'
import { checkInputs } from './canonical/inputs.ts'
import { type Json, parse } from './canonical/json.ts'
import type { Loss } from './canonical/loss.ts'
import { cleanBase64, encodeBytes, normalizeMime } from './canonical/media.ts'
import { correctMediaTypes } from './canonical/media-types.ts'
import type { ChatRequest } from './canonical/request.ts'
import { restoreResponse } from './canonical/restore.ts'
import { type StreamTranslation, translateFrames } from './canonical/stream-translation.ts'
import { checkLosses } from './canonical/strict.ts'
import type { ChatFacts, ModelFacts, Target } from './canonical/target.ts'
import { wellFormed } from './canonical/well-formed.ts'
import { asError, HeadgateError, invalid } from './errors.ts'
import { chatCompletions } from './formats/chat-completions/index.ts'
import { generateContent } from './formats/generate-content/index.ts'
import { messages } from './formats/messages/index.ts'
import { responses } from './formats/responses/index.ts'
import { readFrames, sseSplitter } from './formats/sse.ts'

export type { LinkedMedia } from './canonical/inline.ts'
export type { Json } from './canonical/json.ts'
export type { Loss } from './canonical/loss.ts'
export type { ChatFacts, ModelFacts } from './canonical/target.ts'
export { HeadgateError } from './errors.ts'

const FORMATS = {
  'chat-completions': chatCompletions,
  messages,
  'generate-content': generateContent,
  responses,
} as const

/** Wire format of the chat family. */
export type TranslatedFormat = keyof typeof FORMATS

/** Formats of a translation. */
interface Direction {
  /** Format of the input. */
  readonly from: TranslatedFormat
  /** Format of the result. */
  readonly to: TranslatedFormat
}

/** Provider of a translation. Use the same values for a request and its response. */
interface Provided {
  /** The provider's id of the model. Default: the model in the request. */
  readonly model?: string
  /** Differences between the provider and its format. */
  readonly facts?: ChatFacts
  /** Known facts of the model. Inputs that it is known not to support are rejected. */
  readonly limits?: ModelFacts
  /** Model family that signs reasoning, such as `claude`. Default: the vendor of the provider's format. */
  readonly signer?: string
}

/** Content of a fetched URL. */
export interface Medium {
  /** Bytes, or their base64. */
  readonly data: Uint8Array | string
  /** Media type from the server. The first bytes override it. */
  readonly mime?: string
}

/** Options of {@link translateRequest}. */
export interface TranslateRequestOptions extends Direction, Provided {
  /** True to stream the response, for generate-content, whose path and not whose body decides it. */
  readonly stream?: boolean
  /** Rejects requests with losses. `true` allows the loss of hints, such as cache marks; `all` does not. */
  readonly strict?: boolean | 'all'
  /** Fetched media, by the URLs in `fetch` of the previous result. */
  readonly withMedia?: Readonly<Record<string, Medium>>
}

/** Result of {@link translateRequest}. */
export interface TranslatedRequest {
  /** Undefined while `fetch` is not empty. */
  readonly body: Json | undefined
  /** Dropped and changed fields. Paths refer to the input body. */
  readonly lost: readonly Loss[]
  /** Media whose URLs the provider does not accept. Fetch them, then translate again with `withMedia`. */
  readonly fetch: readonly LinkedMedia[]
}

/** Options of {@link translateResponse}. */
export interface TranslateResponseOptions extends Direction, Provided {
  /**
   * The caller's request body, in the format `to`. With it, shortened tool names and converted tools get their original
   * form back, and parts that the caller did not request are left out.
   */
  readonly request?: Json
  /** Id of the response if the provider sent none. */
  readonly id?: string
}

/** Options of {@link translateStream}. */
export interface TranslateStreamOptions extends TranslateResponseOptions {
  /** Framing of the result. `json-array` is the framing of generate-content without `alt=sse`. Default: `sse`. */
  readonly framing?: 'sse' | 'json-array'
}

/** Result of {@link translateResponse}. */
export interface TranslatedResponse {
  readonly body: Json
  /** Losses. Paths refer to the input body. */
  readonly lost: readonly Loss[]
}

/** Chunks of the translated stream, and the losses so far. */
export interface TranslatedStream extends AsyncIterable<Uint8Array> {
  readonly lost: readonly Loss[]
}

function targetOf(provider: Format, request: ChatRequest, { model, facts, limits, signer }: Provided): Target {
  return { model: model ?? request.model, signer: signer ?? provider.signer, facts, limits }
}

function readRequest(
  format: Format,
  body: Json,
  line: { model?: string | undefined; stream?: boolean | undefined },
): ChatRequest {
  const { model, stream } = line
  if (isTooDeep(body)) throw invalid(undefined, `The body is nested deeper than ${MAX_DEPTH} levels. Send it flatter.`)
  return format.readRequest(
    body,
    format.modelInBody ? undefined : { ...(model !== undefined && { model }), ...(stream !== undefined && { stream }) },
  )
}

function mediumAt(media: TranslateRequestOptions['withMedia'], url: string): FetchedMedia | undefined {
  const found = media && Object.hasOwn(media, url) ? media[url] : undefined
  if (!found) return undefined
  const data = typeof found.data === 'string' ? cleanBase64(found.data) : encodeBytes(found.data)
  if (data === undefined)
    throw invalid(
      'withMedia',
      `\`withMedia\` has invalid base64 for ${url.split('?')[0]}. Pass the bytes, or valid base64.`,
    )
  return { data, mime: found.mime ? normalizeMime(found.mime) : undefined }
}

/**
 * Translates a request body to another format. The model of a generate-content request is part of its path, not of its
 * body: pass it as `model`, and build the path for a provider with that format.
 * @throws HeadgateError of kind `invalid-request`, which names the field, if the body is invalid or cannot be
 * translated.
 * @example
 * const { body, lost } = translateRequest(
 *   { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hello' }] },
 *   { from: 'chat-completions', to: 'messages' },
 * )
 */
export function translateRequest(body: Json, options: TranslateRequestOptions): TranslatedRequest {
  const { strict = false, withMedia } = options
  const [from, to] = [FORMATS[options.from], FORMATS[options.to]]
  const given = readRequest(from, body, options)
  const target = targetOf(to, given, options)
  const passage = { from, to, target }
  const links = linkedMedia(given, passage)
  const inlined = links.length === 0 ? given : inlineMedia(given, passage, (url) => mediumAt(withMedia, url))
  const fetch = links.length === 0 ? links : linkedMedia(inlined, passage)
  const losses: Loss[] = []
  const request = correctMediaTypes(fetch.length === 0 ? inlined : standInMedia(inlined, passage), losses)
  checkInputs(request, target.limits)
  const written = to.writeRequest(request, target, losses)
  const lost = ownPaths(losses, body, from.fieldNames)
  const whole = wellFormed(written.body, body, lost)
  checkLosses(
    lost,
    strict,
    `${to.id} does not support all fields of the request, and the option \`strict\` forbids losses`,
  )
  return { body: fetch.length === 0 ? whole : undefined, lost, fetch }
}

/** Substitute for an unknown request, which asks for everything. */
const ANY_REQUEST: ChatRequest = { model: '', messages: [], stream: true, streamUsage: true, paths: {} }

/** State for writing a response. */
interface ResponseTranslation {
  readonly from: Format
  readonly to: Format
  readonly origin: Origin
  readonly reply: Reply
  readonly restore: Restore | undefined
}

function responseTranslation(options: TranslateStreamOptions): ResponseTranslation {
  const [from, to] = [FORMATS[options.from], FORMATS[options.to]]
  const request = options.request
    ? readRequest(to, options.request, { model: options.model, stream: true })
    : ANY_REQUEST
  const target = targetOf(from, request, options)
  const passage = { from: to, to: from, target }
  const restore = options.request ? from.writeRequest(standInMedia(request, passage), target, []).restore : undefined
  const { id = 'translated', framing = 'sse' } = options
  const origin = target.signer === undefined ? {} : { signer: target.signer }
  return { from, to, origin, restore, reply: { id, model: target.model, request, framing } }
}

/**
 * Translates a whole response to another format. Check the HTTP status first: error responses are not supported.
 * @throws HeadgateError if the response does not have the format `from`, or `request` not the format `to`.
 * @example
 * const { body } = translateResponse(response, { from: 'messages', to: 'chat-completions', request })
 */
export function translateResponse(body: Json, options: TranslateResponseOptions): TranslatedResponse {
  if (isTooDeep(body)) throw new HeadgateError('upstream', `The response is nested deeper than ${MAX_DEPTH} levels.`)
  const { from, to, origin, reply, restore } = responseTranslation(options)
  const lost: Loss[] = []
  const response = restoreResponse(from.readResponse(body, origin), restore)
  const written = to.writeResponse(response, reply, lost)
  return { body: written, lost: ownPaths(lost, body, from.fieldNames) }
}

/**
 * Translates a stream of server-sent events to another format, with one write per chunk that has content. If the
 * provider reports an error or cuts its stream, the last frame is an error in the format `to`. Errors of `chunks` are
 * rethrown.
 * @throws HeadgateError immediately, if `request` does not have the format `to`.
 * @example
 * const stream = translateStream(response.body, { from: 'messages', to: 'chat-completions', request })
 * for await (const chunk of stream) socket.write(chunk)
 */
export function translateStream(chunks: AsyncIterable<Uint8Array>, options: TranslateStreamOptions): TranslatedStream {
  const { from, to, origin, reply, restore } = responseTranslation(options)
  const lost: Loss[] = []
  const translation = translateFrames(from, to, reply, lost, { origin, restore })
  return { lost, [Symbol.asyncIterator]: () => translated(chunks, translation) }
}

async function* translated(
  chunks: AsyncIterable<Uint8Array>,
  translation: StreamTranslation,
): AsyncGenerator<Uint8Array, void, void> {
  const splitter = sseSplitter()
  const encoder = new TextEncoder()
  const { seen, fail } = translation
  /** Output of a step, including the error frame if it fails. */
  const step = (write: () => string): string => {
    try {
      const text = write()
      return seen.error ? text + fail(seen.error) : text
    } catch (error) {
      seen.error = asError(error)
      return fail(seen.error)
    }
  }
  for await (const chunk of chunks) {
    const text = step(() => {
      const piece = splitter.push(chunk)
      return piece ? translation.push(framesIn(piece)) : ''
    })
    if (text !== '') yield encoder.encode(text)
    if (seen.error) return
  }
  const text = step(() => translation.push(wholeFrames(splitter.rest())) + translation.end())
  if (text !== '') yield encoder.encode(text)
}

function framesIn(piece: Uint8Array) {
  return readFrames(new TextDecoder().decode(piece))
}

/** Frames in the bytes after the last boundary, unless they are incomplete. */
function wholeFrames(rest: Uint8Array | undefined) {
  const frames = rest ? framesIn(rest) : []
  return frames.every(({ data }) => data.startsWith('[DONE]') || parse(data) !== undefined) ? frames : []
}

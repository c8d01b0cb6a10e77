import { isTooDeep, MAX_DEPTH } from './canonical/depth.ts'
import { ownPaths } from './canonical/field-names.ts'
import type { Format, Origin, Reply, Restore } from './canonical/format.ts'
import { type FetchedMedia, inlineMedia, type LinkedMedia, linkedMedia, standInMedia } from './canonical/inline.ts'
import { checkInputs } from './canonical/inputs.ts'
import { type Json, parse } from './canonical/json.ts'
import type { Loss } from './canonical/loss.ts'
import { cleanBase64, encodeBytes, normalizeMime } from './canonical/media.ts'
import type { ChatRequest } from './canonical/request.ts'
import { restoreResponse } from './canonical/restore.ts'
import { type StreamTranslation, translateFrames } from './canonical/stream-translation.ts'
import { checkLosses } from './canonical/strict.ts'
import type { ChatFacts, ModelFacts, Target } from './canonical/target.ts'
import { trueTypes } from './canonical/true-types.ts'
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

/** A wire format of the chat family. */
export type FormatId = keyof typeof FORMATS

/** What is translated, and for whom. */
interface Direction {
  /** Format of what is given. */
  readonly from: FormatId
  /** Format of what comes out. */
  readonly to: FormatId
}

/** What is known of the provider. A request and the answers to it are translated with the same values. */
interface Provided {
  /** The provider's name of the model; by default the one that the request names. */
  readonly model?: string
  /** How the provider deviates from its format. */
  readonly facts?: ChatFacts
  /** What the model takes and gives; what it is known not to take is refused. */
  readonly limits?: ModelFacts
  /** Who signs reasoning there, such as `claude`; by default the vendor of the provider's format. */
  readonly signer?: string
}

/** What was fetched from a URL. */
export interface Medium {
  /** The bytes, or their base64. */
  readonly data: Uint8Array | string
  /** Media type as the server declared it; where the first bytes say otherwise, they count. */
  readonly mime?: string
}

export interface RequestOptions extends Direction, Provided {
  /** Whether the answer is to be streamed, where the path says so and not the body (generate-content). */
  readonly stream?: boolean
  /** Refuses what would be lost: `true` lets hints go, such as cache marks; `all` does not. */
  readonly strict?: boolean | 'all'
  /** What was fetched of an earlier answer's `fetch`, by URL. */
  readonly withMedia?: Readonly<Record<string, Medium>>
}

export interface TranslatedRequest {
  /** Undefined while `fetch` names something. */
  readonly body: Json | undefined
  /** What the provider's format can not carry, or carries otherwise; paths are those of the body that was given. */
  readonly lost: readonly Loss[]
  /** Media given by URL that the provider does not take so. Fetch them, and translate again `withMedia`. */
  readonly fetch: readonly LinkedMedia[]
}

export interface AnswerOptions extends Direction, Provided {
  /**
   * The body that the caller sent, in the format `to`. With it, names and tools that were changed on the way to the
   * provider are again what the caller wrote, and what the caller did not ask for is left out.
   */
  readonly request?: Json
  /** Id of the answer where the provider gave none. */
  readonly id?: string
}

export interface StreamOptions extends AnswerOptions {
  /**
   * How the stream that comes out is framed; `json-array` is what generate-content has without `alt=sse`. Default
   * `sse`.
   */
  readonly framing?: 'sse' | 'json-array'
}

export interface TranslatedResponse {
  readonly body: Json
  /** Paths are those of the answer that was given. */
  readonly lost: readonly Loss[]
}

/** Bytes of the stream as they come, and what was lost so far. */
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

function mediumAt(media: RequestOptions['withMedia'], url: string): FetchedMedia | undefined {
  const found = media && Object.hasOwn(media, url) ? media[url] : undefined
  if (!found) return undefined
  const data = typeof found.data === 'string' ? cleanBase64(found.data) : encodeBytes(found.data)
  if (data === undefined)
    throw invalid(
      'withMedia',
      `withMedia has data of ${url.split('?')[0]} that is no base64. Give its bytes, or their base64.`,
    )
  return { data, mime: found.mime ? normalizeMime(found.mime) : undefined }
}

/**
 * A request body in another format.
 *
 * The model of a generate-content request stands in its path: give it as `model`, and build the path of such a
 * provider.
 * @throws HeadgateError `invalid-request` that names the field, for what is wrong or can not be carried.
 */
export function translateRequest(body: Json, options: RequestOptions): TranslatedRequest {
  const { strict = false, withMedia } = options
  const [from, to] = [FORMATS[options.from], FORMATS[options.to]]
  const given = readRequest(from, body, options)
  const target = targetOf(to, given, options)
  const passage = { from, to, target }
  const links = linkedMedia(given, passage)
  const inlined = links.length === 0 ? given : inlineMedia(given, passage, (url) => mediumAt(withMedia, url))
  const fetch = links.length === 0 ? links : linkedMedia(inlined, passage)
  const losses: Loss[] = []
  const request = trueTypes(fetch.length === 0 ? inlined : standInMedia(inlined, passage), losses)
  checkInputs(request, target.limits)
  const written = to.writeRequest(request, target, losses)
  const lost = ownPaths(losses, body, from.fieldNames)
  const whole = wellFormed(written.body, body, lost)
  checkLosses(lost, strict, `${to.id} can not carry all of the request, and the option strict forbids losses`)
  return { body: fetch.length === 0 ? whole : undefined, lost, fetch }
}

/** A request that asks for everything, where the caller's is not known. */
const ANY_REQUEST: ChatRequest = { model: '', messages: [], stream: true, streamUsage: true, paths: {} }

/** What answers are written with. */
interface Answering {
  readonly from: Format
  readonly to: Format
  readonly origin: Origin
  readonly reply: Reply
  readonly restore: Restore | undefined
}

function answering(options: StreamOptions): Answering {
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
 * A whole answer in another format. Not for errors: ask for the HTTP status first.
 * @throws HeadgateError when the answer is not one of `from`, or `request` not one of `to`.
 */
export function translateResponse(body: Json, options: AnswerOptions): TranslatedResponse {
  if (isTooDeep(body)) throw new HeadgateError('upstream', `The answer is nested deeper than ${MAX_DEPTH} levels.`)
  const { from, to, origin, reply, restore } = answering(options)
  const lost: Loss[] = []
  const response = restoreResponse(from.readResponse(body, origin), restore)
  const written = to.writeResponse(response, reply, lost)
  return { body: written, lost: ownPaths(lost, body, from.fieldNames) }
}

/**
 * A stream of server-sent events in another format, written once for each chunk that says something. When the provider
 * reports an error or cuts its stream, the last frame is an error in the format `to`; what `chunks` itself throws is
 * thrown on.
 * @throws HeadgateError at once when `request` is not one of `to`.
 */
export function translateStream(chunks: AsyncIterable<Uint8Array>, options: StreamOptions): TranslatedStream {
  const { from, to, origin, reply, restore } = answering(options)
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
  /** What a step writes, with the error that it ends in. */
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

/** The frames of bytes that no boundary ended, unless they are cut. */
function wholeFrames(rest: Uint8Array | undefined) {
  const frames = rest ? framesIn(rest) : []
  return frames.every(({ data }) => data.startsWith('[DONE]') || parse(data) !== undefined) ? frames : []
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Json } from '../../src/canonical/json.ts'
import { dataOf } from './events.ts'

/** The formats, as the gateway calls them. */
export const FORMATS = ['chat-completions', 'messages', 'generate-content', 'responses'] as const
export type FormatId = (typeof FORMATS)[number]

/** A request that a real provider was sent, and what it answered. */
export interface Recording {
  readonly id: string
  /** The provider's format. */
  readonly format: FormatId
  readonly stream: boolean
  /** Null where only the answer was kept. */
  readonly request: Json | null
  readonly model: string | null
  readonly status: number
  /** Undefined where it was not kept. */
  readonly contentType: string | undefined
  readonly body: string
}

/** A request for vectors that a real provider was sent, and what it answered. */
export interface EmbeddingRecording {
  readonly id: string
  /** Whose wire it is in: OpenAI's, which many speak, or that of the Gemini API; otherwise the path. */
  readonly wire: 'openai' | 'gemini' | (string & {})
  readonly model: string
  /** Null where only the answer was kept. */
  readonly request: Json | null
  readonly status: number
  readonly body: string
}

interface Line {
  id: string
  family: string
  stream: boolean
  request: Json | null
  model: string | null
  responseStatus: number
  responseBody: string
  responseEncoding: string
  responseContentType: string | null
  suspectSynthetic?: boolean
  endpoint: string
}

const FAMILIES: Readonly<Record<string, FormatId>> = {
  chat: 'chat-completions',
  messages: 'messages',
  generateContent: 'generate-content',
  responses: 'responses',
}

/** The folder of the recordings, with `dev.jsonl.gz` in it; beside it lie the vendors' specifications, in `specs`. */
export const folder = process.env['HEADGATE_RECORDINGS'] || undefined

interface Recorded {
  readonly chat: readonly Recording[]
  readonly embeddings: readonly EmbeddingRecording[]
}

let recorded: Recorded | undefined

/** Every recording that is not suspected to be made by hand; none where there is no folder. */
export function readRecordings(): Recorded {
  recorded ??= read(folder === undefined ? [] : readLines(folder))
  return recorded
}

function read(lines: readonly Line[]): Recorded {
  return {
    chat: lines.flatMap((line) => {
      const format = FAMILIES[line.family]
      return format ? [toRecording(line, format)] : []
    }),
    embeddings: lines.flatMap((line) => (line.family === 'embeddings' ? [toEmbedding(line)] : [])),
  }
}

function readLines(folder: string): Line[] {
  const lines = gunzipSync(readFileSync(join(folder, 'dev.jsonl.gz')))
    .toString('utf8')
    .split('\n')
  return lines.flatMap((text) => {
    if (text === '') return []
    const line = JSON.parse(text) as Line
    return line.suspectSynthetic ? [] : [line]
  })
}

function wireAt(path: string): EmbeddingRecording['wire'] {
  if (/EmbedContents?$/.test(path)) return 'gemini'
  return path.endsWith('/embeddings') ? 'openai' : path
}

function toEmbedding({ id, endpoint, model, request, responseStatus, responseBody }: Line): EmbeddingRecording {
  return { id, wire: wireAt(endpoint), model: model ?? 'model', request, status: responseStatus, body: responseBody }
}

/**
 * Gemini's other framing, a JSON array, is what no adapter asks for: it is served as the events that the same answer
 * has with `alt=sse`.
 */
function toRecording(line: Line, format: FormatId): Recording {
  const isArray = line.stream && line.responseStatus === 200 && line.responseBody.startsWith('[')
  return {
    id: line.id,
    format,
    stream: line.stream,
    request: line.request,
    model: line.model,
    status: line.responseStatus,
    contentType: isArray ? 'text/event-stream' : (line.responseContentType ?? undefined),
    body: isArray ? dataOf(JSON.parse(line.responseBody) as unknown[]) : line.responseBody,
  }
}

/** The content type of an answer; where it was not kept, the one that goes with its kind. */
export function typeOf({ contentType, stream }: Recording): string {
  return contentType ?? (stream ? 'text/event-stream' : 'application/json')
}

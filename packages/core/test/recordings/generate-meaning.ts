import { isObject, type Json, number, objects, text } from '../../src/chat/json.ts'
import { valuesOf } from './events.ts'
import { type Choice, type Finish, joined, type Meaning, type Piece, type Usage } from './meaning.ts'

/** What a whole answer of generateContent says. */
export function generateMeaning(body: Json): Meaning {
  return meaningOf([body])
}

/** What a stream says: each event is an answer that goes on where the one before ended. */
export function generateStreamMeaning(stream: string): Meaning {
  return meaningOf(valuesOf(stream).filter(isObject))
}

interface Candidate {
  pieces: Piece[]
  word: string | undefined
}

function meaningOf(bodies: readonly Json[]): Meaning {
  const candidates = new Map<number, Candidate>()
  let usage: Json = {}
  let blocked = false
  for (const body of bodies) {
    if (isObject(body['usageMetadata'])) usage = { ...usage, ...body['usageMetadata'] }
    blocked ||= isObject(body['promptFeedback']) && text(body['promptFeedback']['blockReason']) !== undefined
    for (const [position, item] of objects(body['candidates']).entries()) {
      const index = number(item['index']) ?? position
      const candidate = candidates.get(index) ?? { pieces: [], word: undefined }
      candidates.set(index, candidate)
      candidate.pieces.push(...partsOf(item).flatMap(pieceOf))
      candidate.word = text(item['finishReason']) ?? candidate.word
    }
  }
  if (candidates.size === 0 && blocked) return { choices: [{ pieces: [], finish: 'refused' }], usage: usageOf(usage) }
  const ordered = [...candidates].sort(([a], [b]) => a - b)
  return { choices: ordered.map(([, candidate]) => choiceOf(candidate)), usage: usageOf(usage) }
}

function partsOf(candidate: Json): Json[] {
  return isObject(candidate['content']) ? objects(candidate['content']['parts']) : []
}

/** Code that the vendor ran, and what came of it, is no part of what the model says to the caller. */
function pieceOf(part: Json): Piece[] {
  const call = part['functionCall']
  if (isObject(call)) return text(call['name']) ? [{ kind: 'call', name: String(call['name']), input: call['args'] ?? {} }] : []
  const media = part['inlineData']
  if (isObject(media)) return /^image\//.test(String(media['mimeType'])) ? [{ kind: 'image', data: text(media['data']) ?? '' }] : []
  return [{ kind: part['thought'] === true ? 'reasoning' : 'text', text: text(part['text']) ?? '' }]
}

const REFUSED = /^(SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT|IMAGE_RECITATION)$/

function choiceOf({ pieces, word = '' }: Candidate): Choice {
  return { pieces: joined(pieces), finish: finishOf(word, pieces.some((piece) => piece.kind === 'call')) }
}

/** The format has no word for calls. */
function finishOf(word: string, calls: boolean): Finish {
  if (word === 'MAX_TOKENS') return 'length'
  if (REFUSED.test(word)) return 'refused'
  return calls ? 'tools' : 'stop'
}

/** Thoughts stand beside the tokens of the candidates. */
function usageOf(usage: Json): Usage {
  const count = (key: string): number => number(usage[key]) ?? 0
  return {
    input: count('promptTokenCount') + count('toolUsePromptTokenCount'),
    output: count('candidatesTokenCount') + count('thoughtsTokenCount'),
    cacheRead: count('cachedContentTokenCount'),
    cacheWrite: 0,
    reasoning: count('thoughtsTokenCount'),
  }
}

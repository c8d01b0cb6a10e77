import { isObject, type Json, number, objects, text } from '../../src/canonical/json.ts'
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
  readonly pieces: Piece[]
  word: string
  reason: string
  /** The call whose arguments come in pieces. */
  growing: { name: string; args: Json } | undefined
}

function meaningOf(bodies: readonly Json[]): Meaning {
  const candidates = new Map<number, Candidate>()
  let usage: Json = {}
  let feedback: Json = {}
  for (const body of bodies) {
    // Each count is a total, but some say nothing of tokens.
    if (isObject(body['usageMetadata']) && 'promptTokenCount' in body['usageMetadata']) usage = body['usageMetadata']
    if (isObject(body['promptFeedback'])) feedback = body['promptFeedback']
    for (const [position, item] of objects(body['candidates']).entries()) {
      const index = number(item['index']) ?? position
      const candidate = candidates.get(index) ?? { pieces: [], word: '', reason: '', growing: undefined }
      candidates.set(index, candidate)
      for (const part of partsOf(item)) addPart(candidate, part)
      candidate.word = wordOf(item['finishReason']) ?? candidate.word
      candidate.reason = text(item['finishMessage']) ?? candidate.reason
    }
  }
  const ordered = [...candidates].sort(([a], [b]) => a - b)
  const blocked = candidates.size === 0 && text(feedback['blockReason']) !== undefined
  const choices = blocked
    ? [refused(text(feedback['blockReasonMessage']) ?? '')]
    : ordered.map(([, candidate]) => choiceOf(candidate))
  const failed =
    bodies.some((body) => isObject(body['error'])) || (!blocked && ordered.every(([, { word }]) => word === ''))
  return { choices, usage: usageOf(usage), failed }
}

function refused(reason: string): Choice {
  return { pieces: joined([{ kind: 'reason', text: reason }]), finish: 'refused' }
}

/** Vertex says some reasons by their numbers. */
function wordOf(reason: unknown): string | undefined {
  const numbered = [
    'FINISH_REASON_UNSPECIFIED',
    'STOP',
    'MAX_TOKENS',
    'SAFETY',
    'RECITATION',
    'OTHER',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
  ]
  return typeof reason === 'number' ? numbered[reason] : text(reason)
}

function partsOf(candidate: Json): Json[] {
  return isObject(candidate['content']) ? objects(candidate['content']['parts']) : []
}

/** Code that the vendor ran, and what came of it, is no part of what the model says to the caller. */
function addPart(candidate: Candidate, part: Json): void {
  const call = part['functionCall']
  if (isObject(call)) addCall(candidate, call)
  else candidate.pieces.push(...pieceOf(part))
}

/** A call is whole, or it begins with its name, goes on in pieces of its arguments, and ends with an empty one. */
function addCall(candidate: Candidate, call: Json): void {
  const name = text(call['name'])
  if (name && call['willContinue'] !== true && !call['partialArgs']) {
    candidate.pieces.push({ kind: 'call', name, input: call['args'] ?? {} })
    return
  }
  if (name) candidate.growing = { name, args: {} }
  const { growing } = candidate
  if (!growing) return
  for (const piece of objects(call['partialArgs'])) setPiece(growing.args, piece)
  if (call['willContinue'] === true) return
  candidate.pieces.push({ kind: 'call', name: growing.name, input: growing.args })
  candidate.growing = undefined
}

/** Sets the value that a path such as `$.a[0].b` names; texts of one path are joined. */
function setPiece(args: Json, piece: Json): void {
  const steps = [...String(piece['jsonPath']).matchAll(/\.(\w+)|\[(\d+)\]/g)].map(
    ([, name, index]) => name ?? Number(index),
  )
  let node = args as Record<string | number, unknown>
  for (const [depth, step] of steps.slice(0, -1).entries()) {
    node[step] ??= typeof steps[depth + 1] === 'number' ? [] : {}
    node = node[step] as Record<string | number, unknown>
  }
  const last = steps.at(-1) ?? ''
  const { stringValue, numberValue, boolValue } = piece
  node[last] =
    typeof stringValue === 'string' ? (text(node[last]) ?? '') + stringValue : (numberValue ?? boolValue ?? null)
}

function pieceOf(part: Json): Piece[] {
  const media = part['inlineData']
  if (isObject(media))
    return /^image\//.test(String(media['mimeType'])) ? [{ kind: 'image', data: text(media['data']) ?? '' }] : []
  return [{ kind: part['thought'] === true ? 'reasoning' : 'text', text: text(part['text']) ?? '' }]
}

const REFUSED =
  /^(SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT|IMAGE_RECITATION)$/

function choiceOf({ pieces, word, reason }: Candidate): Choice {
  const finish = finishOf(
    word,
    pieces.some((piece) => piece.kind === 'call'),
  )
  return { pieces: joined(finish === 'refused' ? [...pieces, { kind: 'reason', text: reason }] : pieces), finish }
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

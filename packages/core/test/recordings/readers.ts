import { isObject } from '../../src/canonical/json.ts'
import { chatMeaning, chatStreamMeaning } from './chat-meaning.ts'
import { generateMeaning, generateStreamMeaning } from './generate-meaning.ts'
import { type Choice, joined, type Meaning, type Piece, sorted, type Usage } from './meaning.ts'
import { messagesMeaning, messagesStreamMeaning } from './messages-meaning.ts'
import type { FormatId } from './recordings.ts'
import { responsesMeaning, responsesStreamMeaning } from './responses-meaning.ts'

const WHOLE = {
  'chat-completions': chatMeaning,
  messages: messagesMeaning,
  'generate-content': generateMeaning,
  responses: responsesMeaning,
}
const STREAM = {
  'chat-completions': chatStreamMeaning,
  messages: messagesStreamMeaning,
  'generate-content': generateStreamMeaning,
  responses: responsesStreamMeaning,
}

/** What an answer of a format says, by readers that share nothing with those of the gateway. */
export function meaningOf(format: FormatId, body: string, stream: boolean): Meaning {
  if (stream) return STREAM[format](body)
  const json = JSON.parse(body) as unknown
  if (!isObject(json)) throw new Error('The answer is no JSON object.')
  return WHOLE[format](json)
}

/** What of a meaning the caller's format can say. What it can not is a loss, which is declared. */
export function within(format: FormatId, from: FormatId, meaning: Meaning): Meaning {
  const choices = format === 'messages' || format === 'responses' ? meaning.choices.slice(0, 1) : meaning.choices
  const keepsOrder = format !== 'chat-completions' && from !== 'chat-completions'
  return {
    choices: choices.map((choice) => choiceWithin(format, keepsOrder, choice)),
    failed: meaning.failed,
    usage: format === 'generate-content' ? { ...meaning.usage, cacheWrite: 0 } : meaning.usage,
  }
}

function choiceWithin(format: FormatId, keepsOrder: boolean, { pieces, finish }: Choice): Choice {
  const kept = pieces.flatMap((piece): Piece[] => {
    const refuses = format === 'chat-completions' || format === 'responses'
    if (piece.kind === 'refusal' && !refuses) return [{ kind: 'text', text: piece.text }]
    if (piece.kind === 'reason' && refuses) return [{ kind: 'refusal', text: piece.text }]
    if (piece.kind === 'image' && format === 'messages') return []
    return [piece]
  })
  return { pieces: keepsOrder ? joined(kept) : sorted(kept), finish }
}

/** Where two meanings differ, in words that hold nothing of their content. */
export function differences(due: Meaning, found: Meaning): string[] {
  const out: string[] = []
  if (due.failed !== found.failed) out.push(found.failed ? 'it ended in an error' : 'an error is missing')
  // A failure before anything was said leaves a choice in some formats, and none in others.
  if (due.failed && [...due.choices, ...found.choices].every(({ pieces }) => pieces.length === 0)) return out
  if (due.choices.length !== found.choices.length)
    out.push(`${found.choices.length} choices, due ${due.choices.length}`)
  for (const [index, choice] of due.choices.entries()) {
    const other = found.choices[index]
    if (!other) continue
    if (choice.finish !== other.finish) out.push(`finish is ${other.finish}, due ${choice.finish}`)
    out.push(...differingPieces(choice.pieces, other.pieces))
  }
  for (const key of Object.keys(due.usage) as (keyof Usage)[]) {
    if (due.usage[key] !== found.usage[key]) out.push(`usage.${key} is ${found.usage[key]}, due ${due.usage[key]}`)
  }
  return out
}

function differingPieces(due: readonly Piece[], found: readonly Piece[]): string[] {
  const [dueKinds, foundKinds] = [due, found].map((pieces) => pieces.map((piece) => piece.kind).join(' '))
  if (dueKinds !== foundKinds) return [`pieces are ${foundKinds || 'none'}, due ${dueKinds || 'none'}`]
  return due.flatMap((piece, index) => (isSame(piece, found[index]) ? [] : [`${piece.kind} ${index} differs`]))
}

function isSame(a: Piece, b: Piece | undefined): boolean {
  return JSON.stringify(ordered(a)) === JSON.stringify(ordered(b))
}

/** A value with the keys of its objects in order. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, ordered(value[key])]))
}

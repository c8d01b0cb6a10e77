import type { Json } from '@headgate/core/provider'
import { framesOf } from '../../chunkings.ts'
import { isObject } from '../../json.ts'
import type { Received, UpstreamReply } from '../../upstream.ts'
import type { KitFormat, RequestMeaning } from './meaning.ts'
import { callPiece, callStart, completion, toolCall } from './scenarios/chat-completions.ts'
import { generated } from './scenarios/generate-content.ts'
import { message, textBlock, thinkingBlock, toolUseBlock } from './scenarios/messages.ts'
import { callItem, messageItem, reasoningItem, response } from './scenarios/responses.ts'
import type { ScenarioResponse } from './scenarios/scenario.ts'
import { wires } from './wire/index.ts'

/** Turn of a model, in this order. */
export interface ScriptedTurn {
  readonly thought?: Thought
  readonly text?: string
  readonly call?: { readonly id: string; readonly name: string; readonly arguments: Json }
}

export interface Thought {
  readonly text: string
  /**
   * Standard base64. Its place depends on the vendor: on the reasoning (messages), on the call (generate-content),
   * nowhere otherwise.
   */
  readonly signature: string
}

/** Scripted model: its next turn depends on the conversation so far. */
export type Script = (asked: RequestMeaning) => ScriptedTurn

const COUNT = { input: 100, output: 20 }

/** Claude Code treats messages with one id as parts of one message. */
const idOf = ({ call }: ScriptedTurn): string => `answer_${call?.id ?? 'without_a_call'}`

/** Vendor of a format with a scripted model. It streams if the request asks for a stream. */
export function scripted(script: Script, format: KitFormat): (request: Received) => UpstreamReply {
  return ({ body, path }) => {
    if (!isObject(body))
      return { kind: 'whole', status: 404, body: { error: { message: 'This server only has chat.' } } }
    const answer = turnOf(script(wires[format].readRequest(body)), format)
    return body['stream'] === true || path.includes(':stream')
      ? { kind: 'stream', pieces: framesOf(answer.stream) }
      : { kind: 'whole', body: answer.body }
  }
}

/** Turn in the format of a vendor. */
export function turnOf(turn: ScriptedTurn, format: KitFormat): ScenarioResponse {
  return WRITERS[format](turn)
}

const WRITERS: Readonly<Record<KitFormat, (turn: ScriptedTurn) => ScenarioResponse>> = {
  'chat-completions': completionOf,
  messages: messageOf,
  'generate-content': generatedOf,
  responses: responseOf,
}

function completionOf(turn: ScriptedTurn): ScenarioResponse {
  const { text, call } = turn
  const args = call && JSON.stringify(call.arguments)
  return completion({
    message: { content: text ?? null, ...(call && { tool_calls: [toolCall(call.id, call.name, args ?? '')] }) },
    deltas: [
      ...(text === undefined ? [] : halves(text).map((content) => ({ content }))),
      ...(call ? [callStart(0, call.id, call.name), ...halves(args ?? '').map((piece) => callPiece(0, piece))] : []),
    ],
    finish: call ? 'tool_calls' : 'stop',
    count: COUNT,
    id: idOf(turn),
  })
}

function messageOf(turn: ScriptedTurn): ScenarioResponse {
  const { thought, text, call } = turn
  return message({
    blocks: [
      ...(thought ? [thinkingBlock(halves(thought.text), thought.signature)] : []),
      ...(text === undefined ? [] : [textBlock(halves(text))]),
      ...(call ? [toolUseBlock(call.id, call.name, halves(JSON.stringify(call.arguments)))] : []),
    ],
    stop: call ? 'tool_use' : 'end_turn',
    count: COUNT,
    id: idOf(turn),
  })
}

function responseOf(turn: ScriptedTurn): ScenarioResponse {
  const { thought, text, call } = turn
  return response({
    items: [
      ...(thought ? [reasoningItem(halves(thought.text), thought.signature)] : []),
      ...(text === undefined ? [] : [messageItem(halves(text))]),
      ...(call ? [callItem(call.id, call.name, halves(JSON.stringify(call.arguments)))] : []),
    ],
    count: COUNT,
    id: idOf(turn),
  })
}

function generatedOf(turn: ScriptedTurn): ScenarioResponse {
  const { thought, text, call } = turn
  const { id, name, arguments: args } = call ?? {}
  const calls = call
    ? [{ functionCall: { id, name, args }, ...(thought && { thoughtSignature: thought.signature }) }]
    : []
  const thoughts = thought ? halves(thought.text).map((half) => ({ text: half, thought: true })) : []
  const texts = text === undefined ? [] : halves(text).map((half) => ({ text: half }))
  return generated({
    parts: [
      ...(thought ? [{ text: thought.text, thought: true }] : []),
      ...(text === undefined ? [] : [{ text }]),
      ...calls,
    ],
    chunks: [...thoughts, ...texts, ...calls].map((part) => [part]),
    finish: 'STOP',
    count: COUNT,
    id: idOf(turn),
  })
}

/** String in two pieces, as in a stream. */
function halves(text: string): string[] {
  const half = Math.ceil(text.length / 2)
  return [text.slice(0, half), text.slice(half)]
}

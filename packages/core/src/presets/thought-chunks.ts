import { isObject, type Json, object, objects, text } from '../canonical/json.ts'
import type { ChatSupport } from '../contract/chat.ts'

/** Type of content chunk for reasoning: `thinking` with a list of the same name, or `reasoning` with a summary. */
export type ThoughtChunk = 'thinking' | 'reasoning'

type Patches = Pick<ChatSupport, 'patchRequest' | 'patchResponse' | 'patchFrame'>

/**
 * Patches for a server that sends reasoning as chunks of the content. Callers get and send it in `reasoning_content`.
 * The adapter's own patches see the server's shape.
 * @see https://docs.mistral.ai/capabilities/reasoning
 * @see https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models
 */
export function thoughtChunks(kind: ThoughtChunk, { patchRequest, patchResponse, patchFrame }: Patches): Patches {
  return {
    patchRequest: (body, call) => {
      const chunked = withThoughts(body, kind)
      return patchRequest?.(chunked, call) ?? chunked
    },
    patchResponse: (body, call) => withoutLists(patchResponse?.(body, call) ?? body),
    patchFrame: (frame, call) => {
      const json = patchFrame ? patchFrame(frame, call) : frame.json
      return json && withoutLists(json)
    },
  }
}

/** Converts the messages of a response or stream chunk whose content is a list. */
function withoutLists(body: Json): Json {
  const choices = objects(body['choices'])
  if (!choices.some(({ message, delta }) => hasList(message) || hasList(delta))) return body
  return { ...body, choices: choices.map(plainChoice) }
}

function hasList(message: unknown): message is Json {
  return isObject(message) && Array.isArray(message['content'])
}

function plainChoice(choice: Json): Json {
  const { message, delta } = choice
  return {
    ...choice,
    ...(hasList(message) && { message: plain(message) }),
    ...(hasList(delta) && { delta: plain(delta) }),
  }
}

function plain({ content, ...rest }: Json): Json {
  const chunks = objects(content)
  const thoughts = chunks.map(({ thinking, summary }) => said(thinking ?? summary)).join('')
  const answer = chunks.map((one) => said(one['text'])).join('')
  return { ...rest, content: answer, ...(thoughts !== '' && { reasoning_content: thoughts }) }
}

function said(chunks: unknown): string {
  return (
    text(chunks) ??
    objects(chunks)
      .map((one) => text(one['text']) ?? '')
      .join('')
  )
}

function withThoughts(body: Json, kind: ThoughtChunk): Json {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(hasThoughts)) return body
  return {
    ...body,
    messages: messages.map((message: unknown) => (hasThoughts(message) ? chunked(message, kind) : message)),
  }
}

function hasThoughts(message: unknown): message is Json {
  return typeof object(message)?.['reasoning_content'] === 'string'
}

function chunked({ reasoning_content: thought, content, ...rest }: Json, kind: ThoughtChunk): Json {
  const thinking =
    kind === 'thinking'
      ? { type: kind, thinking: [{ type: 'text', text: thought }] }
      : { type: kind, summary: [{ type: 'summary_text', text: thought }] }
  const answer = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : objects(content)
  return { ...rest, content: [thinking, ...answer] }
}

import { isObject, type Json, object, objects, text } from '../../canonical/json.ts'
import type { ChatSupport } from '../chat.ts'

type Patches = Pick<ChatSupport, 'patchRequest' | 'patchResponse' | 'patchFrame'>

/**
 * For a server whose answers have what a model thinks among the chunks of their content: it stands in `reasoning_content` for callers, and
 * goes back as a chunk. Patches of the adapter's own see the server's side.
 *
 * @see https://docs.mistral.ai/capabilities/reasoning
 */
export function thoughtChunks({ patchRequest, patchResponse, patchFrame }: Patches): Patches {
  return {
    patchRequest: (body, call) => {
      const chunked = withThoughts(body)
      return patchRequest?.(chunked, call) ?? chunked
    },
    patchResponse: (body, call) => withoutLists(patchResponse?.(body, call) ?? body),
    patchFrame: (frame, call) => {
      const json = patchFrame ? patchFrame(frame, call) : frame.json
      return json && withoutLists(json)
    },
  }
}

/** An answer, or a chunk of one, whose messages have lists for a content. */
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
  return { ...choice, ...(hasList(message) && { message: plain(message) }), ...(hasList(delta) && { delta: plain(delta) }) }
}

function plain({ content, ...rest }: Json): Json {
  const chunks = objects(content)
  const thoughts = chunks.map(({ thinking }) => said(thinking)).join('')
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

function withThoughts(body: Json): Json {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(hasThoughts)) return body
  return { ...body, messages: messages.map((message: unknown) => (hasThoughts(message) ? chunked(message) : message)) }
}

function hasThoughts(message: unknown): message is Json {
  return typeof object(message)?.['reasoning_content'] === 'string'
}

function chunked({ reasoning_content: thought, content, ...rest }: Json): Json {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: thought }] }
  const answer = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : objects(content)
  return { ...rest, content: [thinking, ...answer] }
}

import {
  type AssistantTurn,
  type Attachment,
  type ChatTurn,
  dataUrl,
  isImage,
  type PlaygroundRequest,
  SCHEMA_NAME,
} from '../chat/conversation.ts'
import type { JsonObject } from './completions-body.ts'

/**
 * Body of a request in the responses format. It has the whole conversation, because nothing is stored. The format has no
 * seed and no stop sequences.
 */
export function responsesBody({
  model,
  system,
  turns,
  tools,
  schema,
  parameters,
  streams,
}: PlaygroundRequest): JsonObject {
  const { maxTokens, temperature, topP, effort, toolChoice } = parameters
  return {
    model,
    instructions: system || undefined,
    input: turns.flatMap(itemsOf),
    tools: tools.length > 0 ? tools.map((tool) => ({ type: 'function', ...tool, strict: false })) : undefined,
    tool_choice: tools.length > 0 && toolChoice !== undefined ? choiceOf(toolChoice) : undefined,
    text: schema && { format: { type: 'json_schema', name: SCHEMA_NAME, schema, strict: true } },
    max_output_tokens: maxTokens,
    temperature,
    top_p: topP,
    reasoning: effort && (effort === 'none' ? { effort } : { effort, summary: 'auto' }),
    store: false,
    include: ['reasoning.encrypted_content'],
    stream: streams || undefined,
  }
}

function choiceOf(choice: string): unknown {
  return choice.startsWith('tool:') ? { type: 'function', name: choice.slice(5) } : choice
}

function itemsOf(turn: ChatTurn): readonly JsonObject[] {
  if (turn.role === 'results')
    return turn.results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }))
  if (turn.role === 'assistant') return itemsOfAnswer(turn)
  const { text, files } = turn
  if (files.length === 0) return [{ role: 'user', content: text }]
  return [{ role: 'user', content: [...files.map(partOf), ...(text === '' ? [] : [{ type: 'input_text', text }])] }]
}

function partOf(file: Attachment): JsonObject {
  return isImage(file)
    ? { type: 'input_image', image_url: dataUrl(file), detail: 'auto' }
    : { type: 'input_file', filename: file.name, file_data: dataUrl(file) }
}

function itemsOfAnswer({ text, items, calls }: AssistantTurn): readonly JsonObject[] {
  return [
    ...items,
    ...(text === '' ? [] : [{ role: 'assistant', content: text }]),
    ...calls.map(({ id, name, arguments: given }) => ({ type: 'function_call', call_id: id, name, arguments: given })),
  ]
}

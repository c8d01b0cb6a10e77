import type { Block } from '../../../src/canonical/block.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { ChatRequest, FunctionTool, Message } from '../../../src/canonical/request.ts'
import type { Target } from '../../../src/canonical/target.ts'
import { HeadgateError } from '../../../src/errors.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'

/** Requests of another format, and what is written of them. */
export const GPT_4: Target = { model: 'gpt-4.1' }
export const GPT_5: Target = { model: 'gpt-5' }
export const OTHER: Target = { model: 'llama-4' }

export const user = (...blocks: Block[]): Message => ({ role: 'user', at: 'messages[0]', blocks })
export const text = (value: string): Block => ({ type: 'text', text: value })
export const call = (id: string, name = 'f', args = '{}'): Block => ({
  type: 'tool-call',
  at: `call ${id}`,
  id,
  name,
  arguments: args,
})
export const result = (id: string, ...blocks: Block[]): Block => ({
  type: 'tool-result',
  at: `result ${id}`,
  id,
  blocks,
})
export const assistant = (...blocks: Block[]): Message => ({ role: 'assistant', blocks })
export const tool = (name: string, fields: Partial<FunctionTool> = {}): FunctionTool => ({
  type: 'function',
  at: `tool ${name}`,
  name,
  ...fields,
})

export function write(fields: Partial<ChatRequest>, target: Target = GPT_4) {
  const losses: Loss[] = []
  const request: ChatRequest = {
    model: 'alias',
    messages: [user(text('Hello'))],
    stream: false,
    streamUsage: false,
    paths: {},
    ...fields,
  }
  const { body, restore } = chatCompletions.writeRequest(request, target, losses)
  return { body, restore, losses, paths: losses.map(({ path, kind }) => `${path};${kind}`) }
}

export const writeMessages = (messages: Message[], target: Target = GPT_4) =>
  write({ messages }, target).body['messages']

export function refusal(fields: Partial<ChatRequest>, target?: Target): HeadgateError {
  try {
    write(fields, target)
  } catch (error) {
    if (HeadgateError.is(error)) return error
    throw error
  }
  throw new Error('The request was written.')
}

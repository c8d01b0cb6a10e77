import type { Block } from '../../../src/canonical/block.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { ChatRequest, Message } from '../../../src/canonical/request.ts'
import type { Target } from '../../../src/canonical/target.ts'
import { HeadgateError } from '../../../src/errors.ts'
import { generateContent } from '../../../src/formats/generate-content/index.ts'

/** A model of the third generation, served by the Gemini API. */
export const GEMINI: Target = { model: 'gemini-3.5-flash', signer: 'gemini' }

export function user(...blocks: (Block | string)[]): Message {
  return { role: 'user', blocks: blocks.map(asBlock) }
}

export function assistant(...blocks: (Block | string)[]): Message {
  return { role: 'assistant', blocks: blocks.map(asBlock) }
}

export function system(text: string): Message {
  return { role: 'system', blocks: [{ type: 'text', text }] }
}

function asBlock(block: Block | string): Block {
  return typeof block === 'string' ? { type: 'text', text: block } : block
}

export function call(
  id: string,
  name: string,
  args = '{}',
  more: Partial<Extract<Block, { type: 'tool-call' }>> = {},
): Block {
  return { type: 'tool-call', id, name, arguments: args, ...more }
}

export function result(id: string, text: string, more: Partial<Extract<Block, { type: 'tool-result' }>> = {}): Block {
  return { type: 'tool-result', id, blocks: [{ type: 'text', text }], ...more }
}

/** A request as another format's reader would make it; its paths are the names of the fields. */
export function request(fields: Partial<ChatRequest> = {}): ChatRequest {
  const paths = {
    maxTokens: 'max_tokens',
    stop: 'stop',
    seed: 'seed',
    reasoning: 'reasoning_effort',
    parallelTools: 'parallel_tool_calls',
  }
  const more = {
    toolChoice: 'tool_choice',
    user: 'user',
    metadata: 'metadata',
    logitBias: 'logit_bias',
    serviceTier: 'service_tier',
  }
  return {
    model: 'alias',
    messages: [user('hi')],
    stream: false,
    streamUsage: true,
    paths: { ...paths, ...more, output: 'response_format' },
    ...fields,
  }
}

export interface Written {
  body: Json
  losses: Loss[]
  /** Paths of the losses. */
  lost: string[]
  restore: ReturnType<typeof generateContent.writeRequest>['restore']
}

export function write(fields: Partial<ChatRequest>, target: Target = GEMINI): Written {
  const losses: Loss[] = []
  const { body, restore } = generateContent.writeRequest(request(fields), target, losses)
  return { body, losses, lost: losses.map((loss) => loss.path), restore }
}

/** The contents that messages are written as. */
export function contents(messages: Message[], target: Target = GEMINI): unknown {
  return write({ messages }, target).body['contents']
}

export function read(body: Json): ChatRequest {
  return generateContent.readRequest(body, { model: 'gemini-3.5-flash', stream: false })
}

export function readTurns(...turns: Json[]): Message[] {
  return read({ contents: turns }).messages
}

/** The error that a function throws. */
export function errorOf(run: () => unknown): HeadgateError {
  try {
    run()
  } catch (error) {
    if (HeadgateError.is(error)) return error
    throw error
  }
  throw new Error('Nothing was thrown.')
}

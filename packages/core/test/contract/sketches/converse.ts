import {
  type Block,
  type ChatRequest,
  type Codec,
  dropped,
  errorReader,
  type FinishReason,
  type Frame,
  invalid,
  isObject,
  type Json,
  type Loss,
  type Message,
  number,
  object,
  objects,
  type Part,
  parse,
  type RequestField,
  type StreamReader,
  text,
  type Usage,
  writeSide,
} from '../../../src/codec.ts'

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */

const ID = 'converse'

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  max_tokens: 'length',
  tool_use: 'tool-calls',
  content_filtered: 'content-filter',
  guardrail_intervened: 'content-filter',
}

/** What the wire has no field for. */
const UNKNOWN = [
  ...([
    'topK',
    'seed',
    'presencePenalty',
    'frequencyPenalty',
    'n',
    'logprobs',
    'logitBias',
    'output',
    'reasoning',
  ] as const),
  ...(['user', 'metadata', 'serviceTier', 'verbosity', 'cache', 'parallelTools'] as const),
] satisfies RequestField[]

function writeBlock(block: Block, losses: Loss[]): Json[] {
  writeSide(block, ID, {}, losses)
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ text: block.text }]
    case 'tool-call':
      return [{ toolUse: { toolUseId: block.id, name: block.name, input: parse(block.arguments || '{}') } }]
    case 'tool-result': {
      const content = block.blocks.flatMap((one) => writeBlock(one, losses))
      return [{ toolResult: { toolUseId: block.id, content, ...(block.error && { status: 'error' }) } }]
    }
    case 'media':
      throw invalid(block.at, 'Models of this sketch take text only.')
    default:
      dropped(losses, block.at, 'there is nothing like it')
      return []
  }
}

/** Turns of one role are one turn there. */
function writeTurns(messages: readonly Message[], losses: Loss[]): Json[] {
  const turns: { role: string; content: Json[] }[] = []
  for (const message of messages) {
    const { role, blocks } = message
    writeSide(message, ID, {}, losses)
    const content = blocks.flatMap((block) => writeBlock(block, losses))
    if (turns.at(-1)?.role === role) turns.at(-1)?.content.push(...content)
    else turns.push({ role, content })
  }
  return turns
}

function writeTools({ tools = [], toolChoice }: ChatRequest): Json {
  const specs = tools.flatMap((tool) => {
    if (tool.type !== 'function') throw invalid(tool.at, 'Only functions are known there.')
    const { name, description, schema = { type: 'object' } } = tool
    return [{ toolSpec: { name, description, inputSchema: { json: schema } } }]
  })
  const choice =
    toolChoice?.type === 'tool'
      ? { tool: { name: toolChoice.name } }
      : toolChoice?.type === 'required'
        ? { any: {} }
        : undefined
  return specs.length === 0 ? {} : { toolConfig: { tools: specs, ...(choice && { toolChoice: choice }) } }
}

function readUsage(value: unknown): Usage | undefined {
  const { inputTokens, outputTokens, cacheReadInputTokens } = object(value) ?? {}
  const [input, output, cacheRead] = [number(inputTokens), number(outputTokens), number(cacheReadInputTokens)]
  return input === undefined || output === undefined
    ? undefined
    : { input: input + (cacheRead ?? 0), output, ...(cacheRead && { cacheRead }) }
}

function readBlock({ text: said, toolUse }: Json): Block[] {
  if (typeof said === 'string') return [{ type: 'text', text: said }]
  if (!isObject(toolUse)) return []
  return [
    {
      type: 'tool-call',
      id: text(toolUse['toolUseId']) ?? '',
      name: text(toolUse['name']) ?? '',
      arguments: JSON.stringify(toolUse['input'] ?? {}),
    },
  ]
}

function readStream(): StreamReader {
  const open = new Set<number>()
  let finish: Part | undefined
  const start = (index: number, block: Block): Part[] => {
    if (open.has(index)) return []
    open.add(index)
    return [{ type: 'block-start', index, block }]
  }
  const read = (event: string | undefined, data: Json): Part[] => {
    const index = number(data['contentBlockIndex']) ?? 0
    const { text: said, toolUse } = object(data['delta']) ?? {}
    switch (event) {
      case 'messageStart':
        return [{ type: 'start' }]
      case 'contentBlockStart':
        return start(
          index,
          readBlock(object(data['start']) ?? {}).map((one) => ({ ...one, arguments: '' }) as Block)[0] ?? {
            type: 'text',
            text: '',
          },
        )
      case 'contentBlockDelta':
        if (isObject(toolUse))
          return [{ type: 'block-delta', index, delta: { arguments: text(toolUse['input']) ?? '' } }]
        return [
          ...start(index, { type: 'text', text: '' }),
          { type: 'block-delta', index, delta: { text: text(said) ?? '' } },
        ]
      case 'contentBlockStop':
        return open.delete(index) ? [{ type: 'block-end', index }] : []
      case 'messageStop':
        finish = {
          type: 'finish',
          finish: { reason: FINISH[String(data['stopReason'])] ?? 'stop', raw: String(data['stopReason']) },
        }
        return []
      case 'metadata': {
        const usage = readUsage(data['usage'])
        return usage ? [{ type: 'usage', usage }] : []
      }
      default:
        return event === 'error' ? [{ type: 'error', error: readError(0, data) }] : []
    }
  }
  return {
    push: ({ event, data }: Frame) => read(event, object(parse(data)) ?? {}),
    end: () => [
      finish ?? { type: 'error', error: { kind: 'cut', message: 'The stream ended before its last event.' } },
    ],
    get finishing() {
      return finish !== undefined
    },
  }
}

const readError = errorReader({
  codes: [
    [/throttling/, 'rate-limited'],
    [/validation/, 'invalid-request'],
    [/modelstreamerror/, 'upstream'],
  ],
})

export const converse: Codec = {
  id: ID,
  urls: { takes: () => false },
  writeRequest(request, _, losses) {
    const { maxTokens, temperature, topP, stop, messages, paths } = request
    writeSide(request, ID, {}, losses)
    for (const field of UNKNOWN)
      if (request[field] !== undefined) dropped(losses, paths[field], 'there is nothing like it')
    const system = messages
      .filter(({ role }) => role === 'system')
      .flatMap(({ blocks }) => blocks.flatMap((block) => writeBlock(block, losses)))
    const turns = writeTurns(
      messages.filter(({ role }) => role !== 'system'),
      losses,
    )
    const inferenceConfig = { maxTokens, temperature, topP, stopSequences: stop }
    return { body: { messages: turns, ...(system.length > 0 && { system }), inferenceConfig, ...writeTools(request) } }
  },
  readResponse({ output, stopReason, usage }) {
    const blocks = objects(object(object(output)?.['message'])?.['content']).flatMap(readBlock)
    const counted = readUsage(usage)
    const finish = { reason: FINISH[String(stopReason)] ?? 'stop', raw: String(stopReason) }
    return { choices: [{ blocks, finish }], ...(counted && { usage: counted }) }
  },
  readStream,
  readError,
}

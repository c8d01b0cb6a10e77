import type { Received, RequestMeaning, Said, WireFacts } from '../../../conformance/src/index.ts'
import { type Json, object, objects, text } from '../../src/codec.ts'

const fields = (value: unknown): Json => object(value) ?? {}

/**
 * What Converse understands of a request. @see
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
function read({ body }: Received): RequestMeaning {
  const { messages, system, inferenceConfig, toolConfig } = fields(body)
  const { maxTokens, temperature, topP, stopSequences } = fields(inferenceConfig)
  const turns = objects(messages)
  const calls = turns.flatMap(({ content }) =>
    objects(content).flatMap(({ toolUse }) => object(toolUse)?.['toolUseId'] ?? []),
  )
  const said = turns.flatMap(({ role, content }) =>
    objects(content).map((block): Said => {
      const { toolUse, toolResult } = block
      if (object(toolUse))
        return {
          role: 'assistant',
          call: { name: String(fields(toolUse)['name']), arguments: fields(toolUse)['input'] },
        }
      if (object(toolResult)) {
        const result = objects(fields(toolResult)['content']).map((one) => text(one['text']) ?? '')
        return {
          role: 'user',
          result: result.join('\n'),
          of: calls.lastIndexOf(fields(toolResult)['toolUseId'] as string),
        }
      }
      return { role: role === 'assistant' ? role : 'user', text: text(block['text']) ?? '' }
    }),
  )
  if (turns.some(({ role }, index) => role === turns[index - 1]?.['role'])) throw new Error('roles must alternate')
  const tools = objects(fields(toolConfig)['tools']).map(({ toolSpec }) => {
    const { name, description, inputSchema } = fields(toolSpec)
    return {
      name: String(name),
      ...(typeof description === 'string' && { description }),
      schema: fields(fields(inputSchema)['json']),
    }
  })
  return {
    said: [...objects(system).map((one): Said => ({ role: 'system', text: text(one['text']) ?? '' })), ...said],
    tools,
    ...(typeof maxTokens === 'number' && { maxTokens }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof topP === 'number' && { topP }),
    ...(Array.isArray(stopSequences) && { stop: stopSequences.map(String) }),
  }
}

const STOP = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'content_filtered',
  unknown: 'end_turn',
} as const

/** In two pieces, as a stream brings it. */
const halves = (whole: string): string[] => [
  whole.slice(0, Math.ceil(whole.length / 2)),
  whole.slice(Math.ceil(whole.length / 2)),
]

const write: WireFacts['write'] = ({ text: said, calls, finish, usage }) => {
  const { input = 0, output = 0, cacheRead = 0 } = usage ?? {}
  // Of the input what was not read from the cache.
  const counted = {
    inputTokens: input - cacheRead,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cacheRead,
  }
  const uses = calls.map((call, index) => ({
    toolUse: { toolUseId: `tooluse_${index}`, name: call.name, input: call.arguments },
  }))
  const first = said === '' ? 0 : 1
  const deltas = (contentBlockIndex: number, pieces: Json[]) => [
    ...pieces.map((delta) => ({ event: 'contentBlockDelta', data: { contentBlockIndex, delta } })),
    { event: 'contentBlockStop', data: { contentBlockIndex } },
  ]
  const stream = [
    { event: 'messageStart', data: { role: 'assistant' } },
    ...(first
      ? deltas(
          0,
          halves(said).map((piece) => ({ text: piece })),
        )
      : []),
    ...uses.flatMap(({ toolUse: { input, ...toolUse } }, index) => [
      { event: 'contentBlockStart', data: { contentBlockIndex: first + index, start: { toolUse } } },
      ...deltas(
        first + index,
        halves(JSON.stringify(input)).map((piece) => ({ toolUse: { input: piece } })),
      ),
    ]),
    { event: 'messageStop', data: { stopReason: STOP[finish] } },
    { event: 'metadata', data: { usage: counted } },
  ]
  const content = [...(first ? [{ text: said }] : []), ...uses]
  return {
    body: { output: { message: { role: 'assistant', content } }, stopReason: STOP[finish], usage: counted },
    stream,
  }
}

/** Amazon's Converse as a vendor that only takes texts and tools. */
export const converseVendor: Pick<WireFacts, 'read' | 'write' | 'frame' | 'errorFrame' | 'lacks'> = {
  read,
  write,
  frame: 'aws-event-stream',
  errorFrame: (message) => ({ event: 'modelStreamErrorException', data: { message }, isException: true }),
  lacks: ['image', 'pdf', 'reasoning'],
}

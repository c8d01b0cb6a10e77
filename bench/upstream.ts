import { createServer } from 'node:http'

/**
 * Upstream of the benchmark: responds immediately, in both wire formats, whole or as a stream. Runs as a separate
 * process. The path and `stream` in the body select the response.
 */
const EVENTS = 200
const WORDS = 'The quick brown fox jumps over the lazy dog and runs on. '

const chatUnary = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'bench-model',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: WORDS.repeat(12), refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage: { prompt_tokens: 210, completion_tokens: 156, total_tokens: 366 },
})

const messagesUnary = JSON.stringify({
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: 'claude-bench',
  content: [{ type: 'text', text: WORDS.repeat(12) }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 210, output_tokens: 156 },
})

const responsesMessage = (text: string) => ({
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
})
const responsesWhole = (text: string) => ({
  id: 'resp_bench',
  object: 'response',
  created_at: 1_760_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'bench-pro',
  output: [responsesMessage(text)],
  usage: { input_tokens: 210, output_tokens: 156, total_tokens: 366 },
})
const responsesUnary = JSON.stringify(responsesWhole(WORDS.repeat(12)))

function responsesEvents(): string[] {
  const at = { item_id: 'msg_bench', output_index: 0, content_index: 0 }
  const words = Array.from({ length: EVENTS }, (_, i) => `word${i} `)
  const text = words.join('')
  const begun = { ...responsesWhole(''), status: 'in_progress', output: [], usage: null }
  const part = { type: 'output_text', annotations: [], logprobs: [] }
  const events: object[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...responsesMessage(''), status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...words.map((delta) => ({
      type: 'response.output_text.delta',
      ...at,
      delta,
      logprobs: [],
      obfuscation: 'aW5kZWVk',
    })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: { ...part, text } },
    { type: 'response.output_item.done', output_index: 0, item: responsesMessage(text) },
    { type: 'response.completed', response: responsesWhole(text) },
  ]
  return events.map((event, sequence_number) => {
    const { type } = event as { type: string }
    return `event: ${type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`
  })
}

function chatEvents(): string[] {
  const chunk = (delta: unknown, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'bench-model', choices: [{ index: 0, delta, finish_reason: finish }], usage: null })}\n\n`
  const usage = `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'bench-model', choices: [], usage: { prompt_tokens: 210, completion_tokens: EVENTS, total_tokens: 410 } })}\n\n`
  return [
    chunk({ role: 'assistant', content: '' }),
    ...Array.from({ length: EVENTS }, (_, i) => chunk({ content: `word${i} ` })),
    chunk({}, 'stop'),
    usage,
    'data: [DONE]\n\n',
  ]
}

function messagesEvents(): string[] {
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  return [
    event('message_start', {
      message: {
        ...JSON.parse(messagesUnary),
        content: [],
        stop_reason: null,
        usage: { input_tokens: 210, output_tokens: 1 },
      },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...Array.from({ length: EVENTS }, (_, i) =>
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: `word${i} ` } }),
    ),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: EVENTS },
    }),
    event('message_stop', {}),
  ]
}

/** Events per write: the number that a network delivers together from a fast model. */
const GATHERED = 4
const streams = { chat: group(chatEvents()), messages: group(messagesEvents()), responses: group(responsesEvents()) }
const unary = { chat: chatUnary, messages: messagesUnary, responses: responsesUnary }

function group(events: string[]): Buffer[] {
  const groups: Buffer[] = []
  for (let i = 0; i < events.length; i += GATHERED) groups.push(Buffer.from(events.slice(i, i + GATHERED).join('')))
  return groups
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const kind = request.url?.includes('/messages')
      ? 'messages'
      : request.url?.includes('/responses')
        ? 'responses'
        : 'chat'
    const streaming = /"stream"\s*:\s*true/.test(Buffer.concat(chunks).toString('latin1'))
    if (!streaming) {
      const body = unary[kind]
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      response.end(body)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const groups = streams[kind]
    let next = 0
    const slow = Buffer.concat(chunks).includes('"user":"slow"')
    const step = (): void => {
      const piece = groups[next++]
      if (!piece) {
        response.end()
        return
      }
      response.write(piece)
      if (slow) setTimeout(step, 1_000)
      else setImmediate(step)
    }
    step()
    response.on('close', () => {
      next = groups.length
    })
  })
})
server.keepAliveTimeout = 60_000
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`listening ${typeof address === 'object' && address ? address.port : 0}\n`)
})

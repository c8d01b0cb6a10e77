import {
  type Block,
  type ChatResponse,
  compact,
  count,
  type Finish,
  type Json,
  number,
  object,
  objects,
  type TokenLogprob,
  type ToolCallBlock,
  text,
  type Usage,
} from '@headgate/core/codec'

/**
 * Reason why a response ended.
 *
 * @param calls true if tools were called, for which the format has no reason
 */
export function readFinish(body: Json, calls: boolean): Finish {
  const raw = text(body['done_reason'])
  return { reason: raw === 'length' ? 'length' : calls ? 'tool-calls' : 'stop', ...(raw !== undefined && { raw }) }
}

/** Usage. Zeros are omitted, as is the count of a cached prompt, which is then unknown. */
export function readUsage(body: Json): Usage | undefined {
  const input = count(body['prompt_eval_count'])
  const output = count(body['eval_count'])
  return input === undefined || output === undefined ? undefined : { input, output }
}

/** Creation time of a response or chunk: Unix time in seconds. */
export function readCreated(body: Json): number | undefined {
  const ms = Date.parse(text(body['created_at']) ?? '')
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000)
}

/**
 * Call number `nth` of a response. Versions before 0.12.10 have no ids: the id is derived from the response's unique
 * time.
 */
export function readCall(call: Json, nth: number, body: Json): ToolCallBlock {
  const { name, arguments: args } = object(call['function']) ?? {}
  const made = `call_${(text(body['created_at']) ?? '').replace(/\D/g, '')}_${nth}`
  return {
    type: 'tool-call',
    id: text(call['id']) || made,
    name: text(name) ?? '',
    arguments: text(args) ?? (args === undefined || args === null ? '' : JSON.stringify(args)),
  }
}

export function readLogprobs(body: Json): TokenLogprob[] {
  return objects(body['logprobs']).map((one) => {
    const top = objects(one['top_logprobs']).map(readToken)
    return { ...readToken(one), ...(top.length > 0 && { top }) }
  })
}

function readToken(one: Json): Pick<TokenLogprob, 'token' | 'logprob' | 'bytes'> {
  const { bytes } = one
  const known = Array.isArray(bytes) ? bytes.filter((byte) => typeof byte === 'number') : undefined
  return { token: text(one['token']) ?? '', logprob: number(one['logprob']) ?? 0, ...(known && { bytes: known }) }
}

export function readResponse(body: Json): ChatResponse {
  const message = object(body['message']) ?? {}
  const blocks: Block[] = []
  const [thinking, said] = [text(message['thinking']), text(message['content'])]
  if (thinking) blocks.push({ type: 'reasoning', text: thinking })
  if (said) blocks.push({ type: 'text', text: said })
  const calls = objects(message['tool_calls']).map((call, nth) => readCall(call, nth, body))
  blocks.push(...calls)
  const logprobs = readLogprobs(body)
  return compact<ChatResponse>({
    model: text(body['model']),
    created: readCreated(body),
    choices: [{ blocks, finish: readFinish(body, calls.length > 0), ...(logprobs.length > 0 && { logprobs }) }],
    usage: readUsage(body),
  })
}

import {
  type Block,
  type ChatResponse,
  type Citation,
  compact,
  count,
  type Finish,
  type FinishReason,
  HeadgateError,
  isObject,
  type Json,
  number,
  object,
  objects,
  text,
  type Usage,
} from '@headgate/core/codec'

const FINISH: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop-sequence',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
  ERROR_TOXIC: 'content-filter',
}

/**
 * Reason why a response ended.
 *
 * @throws HeadgateError if the response ended in a failure
 */
export function readFinish(value: unknown): Finish {
  const raw = text(value)
  if (raw === 'ERROR' || raw === 'TIMEOUT')
    throw new HeadgateError('upstream', `The provider ended the response with ${raw}.`)
  return {
    reason: (raw !== undefined && Object.hasOwn(FINISH, raw) ? FINISH[raw] : undefined) ?? 'stop',
    ...(raw !== undefined && { raw }),
  }
}

/**
 * Billed usage. The model can read and write more tokens than are billed; cached and reasoning tokens refer to the
 * larger number, so they are limited to the billed tokens.
 *
 * @see https://docs.cohere.com/docs/how-does-cohere-pricing-work
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const all = object(value['tokens'])
  const charged = object(value['billed_units']) ?? all
  const input = count(charged?.['input_tokens'])
  const output = count(charged?.['output_tokens'])
  if (input === undefined && output === undefined) return undefined
  const share = (part: unknown, whole: number | undefined): number | undefined => {
    const counted = count(part)
    return counted === undefined ? undefined : Math.min(counted, whole ?? 0)
  }
  return compact<Usage>({
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: share(value['cached_tokens'], input),
    reasoning: share(all?.['reasoning_tokens'], output),
  })
}

/** Source of a citation: a document or a tool result. */
export function readCitation({ start, end, text: cited, sources }: Json): Citation {
  const [source] = objects(sources)
  const place = object(source?.['document']) ?? object(source?.['tool_output']) ?? {}
  return compact<Citation>({
    url: text(place['url']),
    title: text(place['title']) ?? text(source?.['id']),
    cited: text(place['text']) ?? text(cited),
    start: number(start),
    end: number(end),
  })
}

/** A call without arguments has the string `null`. */
export function readCall({ id, function: called }: Json): {
  type: 'tool-call'
  id: string
  name: string
  arguments: string
} {
  const { name, arguments: args } = object(called) ?? {}
  const given = text(args) ?? (args === undefined ? '' : JSON.stringify(args))
  return { type: 'tool-call', id: text(id) ?? '', name: text(name) ?? '', arguments: given === 'null' ? '' : given }
}

/** Reasoning, or text with its citations. */
export function readContent({ type, text: said, thinking }: Json): Block {
  return type === 'thinking'
    ? { type: 'reasoning', text: text(thinking) ?? '' }
    : { type: 'text', text: text(said) ?? '' }
}

export function readResponse(body: Json): ChatResponse {
  const { content, tool_plan, tool_calls, citations } = object(body['message']) ?? {}
  const contents = typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content)
  const blocks = contents.map((one, index) => {
    const block = readContent(one)
    const cited = objects(citations).filter((citation) => (number(citation['content_index']) ?? 0) === index)
    return block.type === 'text' && cited.length > 0 ? { ...block, citations: cited.map(readCitation) } : block
  })
  if (typeof tool_plan === 'string' && tool_plan !== '') blocks.push({ type: 'reasoning', text: tool_plan })
  blocks.push(...objects(tool_calls).map(readCall))
  const usage = readUsage(body['usage'])
  const id = text(body['id'])
  return {
    ...(id !== undefined && { id }),
    choices: [{ blocks, finish: readFinish(body['finish_reason']) }],
    ...(usage && { usage }),
  }
}

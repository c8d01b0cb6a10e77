import { isObject, type Json, objects, text } from '../../src/canonical/json.ts'
import type { FormatId } from '../recordings/recordings.ts'
import { PDF, PNG } from '../support/media.ts'
import { readDocument, schemasOf } from './documents.ts'
import { generatorOf, type Known } from './generator.ts'
import { type Random, randomOf } from './random.ts'
import { REQUESTS, readSpecification } from './validator.ts'

const png = PNG.toString('base64')
const pdf = PDF.toString('base64')
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA='

/** A JSON Schema in which everything is required, as strict modes demand. */
function jsonSchema(random: Random): Json {
  const name = `field${random.below(90)}`
  const inner = random.pick([{ type: 'string' }, { type: 'integer' }, { type: 'string', enum: ['a', 'b'] }])
  return { type: 'object', properties: { [name]: inner }, required: [name], additionalProperties: false }
}

const SCHEMAS: ReadonlySet<string> = new Set([
  'parameters',
  'schema',
  'input_schema',
  'responseJsonSchema',
  'parametersJsonSchema',
])

const shared: Known = (key, schema, _within, random) => {
  if (SCHEMAS.has(key) && schema['type'] !== 'string') return jsonSchema(random)
  if (key === 'arguments' && schema['type'] === 'string') return JSON.stringify({ place: `town${random.below(900)}` })
  if (key === 'model') return 'model'
  return undefined
}

const KNOWN: Readonly<Record<FormatId, Known>> = {
  'chat-completions': (key, schema, within, random) => {
    if (key === 'url' && /Image/.test(within)) return `data:image/png;base64,${png}`
    if (key === 'file_data') return `data:application/pdf;base64,${pdf}`
    if (key === 'data') return WAV
    if (key === 'seed') return random.below(90_000)
    if (key === 'country') return 'NO'
    if (key === 'logit_bias') return { 50256: -100 }
    if (key === 'stream_options') return { include_usage: random.chance(0.5) }
    return shared(key, schema, within, random)
  },
  messages: (key, schema, within, random) => {
    if (key === 'data') return /Text/.test(within) ? `plain words ${random.below(900)}` : /PDF/.test(within) ? pdf : png
    if (key === 'media_type' && /Image/.test(within)) return 'image/png'
    if (key === 'max_tokens') return 4096 + random.below(900)
    if (key === 'budget_tokens') return 1024 + random.below(900)
    return shared(key, schema, within, random)
  },
  'generate-content': (key, schema, within, random) => {
    if (key === 'data' && within === 'Blob') return png
    if (key === 'mimeType') return 'image/png'
    if (key === 'fileUri') return `https://generativelanguage.googleapis.com/v1beta/files/f${random.below(900)}`
    if (['parameters', 'response', 'responseSchema'].includes(key) && within === 'Schema')
      return {
        type: 'OBJECT',
        properties: { place: { type: 'STRING', description: `town${random.below(90)}` } },
        required: ['place'],
      }
    if (key === 'responseMimeType') return 'application/json'
    if (key === 'candidateCount') return 1
    if (key === 'logprobs') return 1 + random.below(20)
    if (key === 'temperature') return random.below(128) / 64
    if (key === 'topP') return random.below(64) / 64
    if (/Penalty$/.test(key)) return random.below(64) / 32
    return shared(key, schema, within, random)
  },
  responses: (key, schema, within, random) => {
    // A list of items in three of four requests.
    if (key === 'input' && Array.isArray(schema['oneOf']) && random.chance(0.2)) return `Hello ${random.below(900)}`
    if (key === 'country') return 'NO'
    if (key === 'image_url') return `data:image/png;base64,${png}`
    if (key === 'file_data') return `data:application/pdf;base64,${pdf}`
    return shared(key, schema, within, random)
  },
}

/** Schemas of what names state at the vendor, or what core has no model of and refuses in every direction. */
const AVOIDED: Readonly<Record<FormatId, ReadonlySet<string>>> = {
  'chat-completions': new Set(['ChatCompletionRequestFunctionMessage', 'ChatCompletionFunctions']),
  messages: new Set(),
  'generate-content': new Set(),
  responses: new Set(['ItemReferenceParam', 'Conversation-2', 'ConversationParam']),
}

const ALWAYS: ReadonlySet<string> = new Set(['messages', 'contents', 'input', 'max_tokens'])

const generators = new Map<FormatId, ReturnType<typeof generatorOf>>()

function generatorFor(format: FormatId): ReturnType<typeof generatorOf> {
  const { file } = REQUESTS[format]
  const known =
    generators.get(format) ?? generatorOf(schemasOf(readDocument(file)), KNOWN[format], AVOIDED[format], ALWAYS)
  generators.set(format, known)
  return known
}

const MOST_TRIES = 200

/** A valid request of a format; always the same for the same seed. */
export function requestOf(format: FormatId, seed: number): Json {
  const breaks = readSpecification(REQUESTS[format])
  let problems: string[] = []
  for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
    const random = randomOf(seed * MOST_TRIES + attempt)
    const body = CONSISTENT[format](generatorFor(format).value(REQUESTS[format].root, random) as Json, random)
    problems = breaks(body)
    if (problems.length === 0) return body
  }
  throw new Error(`No valid request of ${format} in ${MOST_TRIES} tries with the seed ${seed}: ${problems.join('; ')}`)
}

/** Requests whose calls have results, and whose choices name tools that exist: no schema says so. */
const CONSISTENT: Readonly<Record<FormatId, (body: Json, random: Random) => Json>> = {
  'chat-completions': (body, random) => {
    const { function_call: _, functions: __, ...rest } = body
    let ids = 0
    const messages = objects(rest['messages']).flatMap((message): Json[] => {
      const { function_call: ___, ...turn } = message
      if (turn['role'] === 'tool') return []
      const calls = objects(turn['tool_calls']).map((call) => ({ ...call, id: `call_${ids++}` }))
      if (calls.length === 0) return [turn]
      const results = calls.map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: `result ${random.below(900)}`,
      }))
      return [{ ...turn, tool_calls: calls }, ...results]
    })
    const names = objects(rest['tools']).map((tool) => ({ type: tool['type'], name: inner(tool)['name'] }))
    return compactTools(
      { ...rest, messages: framed(messages, { role: 'user', content: 'Hello' }) },
      names,
      (choice) => {
        const found = names.find(({ type }) => type === choice['type'])
        if (choice['type'] === 'allowed_tools' && names.length > 0)
          return {
            type: 'allowed_tools',
            allowed_tools: { mode: 'auto', tools: names.map(({ type, name }) => ({ type, [String(type)]: { name } })) },
          }
        return found && { type: found.type, [String(found.type)]: { name: found.name } }
      },
    )
  },
  messages: (body) => {
    let ids = 0
    const turns = objects(body['messages']).flatMap((message): Json[] => {
      if (!Array.isArray(message['content'])) return [message]
      const content = objects(message['content']).filter(
        ({ type }) => type !== 'tool_result' && fits(message['role'], type),
      )
      if (content.length === 0) return []
      const calls: string[] = []
      const blocks = content.map((block) => {
        if (block['type'] !== 'tool_use') return block
        calls.push(`toolu_${ids++}`)
        return { ...block, id: calls.at(-1) }
      })
      const results = calls.map((id) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: `result ${id}`,
        is_error: ids % 2 === 0,
      }))
      return [{ ...message, content: blocks }, ...(results.length > 0 ? [{ role: 'user', content: results }] : [])]
    })
    const names = objects(body['tools'])
    return compactTools({ ...body, messages: framed(turns, { role: 'user', content: 'Hello' }) }, names, (choice) => {
      if (choice['type'] === 'none') return { type: 'none' }
      if (choice['type'] !== 'tool') return choice
      const named = names.find(({ type }) => type === undefined || type === 'custom')
      return named && { ...choice, name: named['name'] }
    })
  },
  'generate-content': (body) => {
    const contents = objects(body['contents']).flatMap((content, index): Json[] => {
      const role = index % 2 === 0 ? 'user' : 'model'
      const parts = objects(content['parts']).flatMap((part) => oneKind(part, role))
      if (parts.length === 0) return []
      const results = parts.flatMap(({ functionCall: call }) => (isObject(call) ? [resultOf(call)] : []))
      return [{ ...content, role, parts }, ...(results.length > 0 ? [{ role: 'user', parts: results }] : [])]
    })
    const { systemInstruction: system, generationConfig: config, toolConfig, ...rest } = body
    const names = objects(body['tools']).flatMap((tool) =>
      objects(tool['functionDeclarations']).flatMap(({ name }) => name ?? []),
    )
    return {
      ...rest,
      ...(isObject(system) && {
        systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }, ...objects(system['parts']).filter(isText)] },
      }),
      ...(isObject(toolConfig) && { toolConfig: withNames(toolConfig, names) }),
      ...(isObject(config) && { generationConfig: onlyValid(config) }),
      contents: framed(contents, { role: 'user', parts: [{ text: 'Hello' }] }),
    }
  },
  responses: (body) => {
    const { previous_response_id: _, conversation: __, ...rest } = body
    let ids = 0
    const given = rest['input']
    const input = objects(given).flatMap((item): Json[] => {
      const type = String(item['type'])
      if (/_output$/.test(type) || type === 'item_reference') return []
      if (!/^(function|custom_tool)_call$/.test(type)) return [item]
      const id = `call_${ids++}`
      return [
        { ...item, call_id: id },
        { type: `${type}_output`, call_id: id, output: `result ${id}` },
      ]
    })
    const tools = objects(rest['tools'])
    return compactTools(
      {
        ...rest,
        input: Array.isArray(given) ? framed(input, { role: 'user', content: 'Hello' }) : (text(given) ?? 'Hello'),
      },
      tools,
      (choice) => {
        const named = tools.find(({ type, name }) => name !== undefined && type === choice['type'])
        if (choice['type'] === 'function' || choice['type'] === 'custom')
          return named && { type: named['type'], name: named['name'] }
        return undefined
      },
    )
  },
}

function inner(tool: Json): Json {
  const value = tool[String(tool['type'])]
  return isObject(value) ? value : {}
}

/** A conversation begins and ends with the user. */
function framed(turns: readonly Json[], turn: Json): Json[] {
  return [turn, ...turns, turn]
}

/** The body with a choice of tools that exist, or none. */
function compactTools(body: Json, tools: readonly unknown[], choose: (choice: Json) => Json | undefined): Json {
  const { tool_choice: choice, parallel_tool_calls: parallel, ...rest } = body
  if (tools.length === 0) return rest
  const chosen = isObject(choice) ? choose(choice) : choice
  const isCalled = parallel !== undefined && chosen !== 'none'
  return {
    ...rest,
    ...(chosen !== undefined && { tool_choice: chosen }),
    ...(isCalled && { parallel_tool_calls: parallel }),
  }
}

const OF_ASSISTANTS =
  /^(tool_use|server_tool_use|thinking|redacted_thinking|mcp_tool_use|compaction|fallback)$|_tool_result$/

function fits(role: unknown, type: unknown): boolean {
  if (role !== 'assistant') return !OF_ASSISTANTS.test(String(type))
  return OF_ASSISTANTS.test(String(type)) || type === 'text'
}

const DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
]
const OF_MODELS = new Set(['functionCall', 'executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'])

/** The part with one kind of data, as the vendor demands. */
function oneKind(part: Json, role: string): Json[] {
  const kind = DATA.find(
    (key) => part[key] !== undefined && key !== 'functionResponse' && (role === 'model' || !OF_MODELS.has(key)),
  )
  if (!kind) return []
  const rest = Object.entries(part).filter(
    ([key]) => !DATA.includes(key) && (role === 'model' || !['thought', 'thoughtSignature'].includes(key)),
  )
  return [Object.fromEntries([...rest.filter(([key]) => key !== 'videoMetadata'), [kind, part[kind]]])]
}

function isText(part: Json): boolean {
  return DATA.every((key) => (part[key] !== undefined) === (key === 'text'))
}

/** Only functions that are declared can be called. */
function withNames({ functionCallingConfig: calling, ...config }: Json, names: readonly unknown[]): Json {
  if (!isObject(calling) || names.length === 0) return config
  const { allowedFunctionNames: allowed, ...rest } = calling
  const isAllowed = allowed !== undefined && /^(ANY|VALIDATED)$/.test(String(rest['mode']))
  return { ...config, functionCallingConfig: { ...rest, ...(isAllowed && { allowedFunctionNames: names }) } }
}

/** One schema of the answer, and a number of alternatives only where likelihoods are wanted. */
function onlyValid({ responseSchema, logprobs, ...config }: Json): Json {
  return {
    ...config,
    ...(responseSchema !== undefined && config['responseJsonSchema'] === undefined && { responseSchema }),
    ...(logprobs !== undefined && config['responseLogprobs'] === true && { logprobs }),
  }
}

function resultOf({ id, name }: Json): Json {
  return {
    functionResponse: { ...(id !== undefined && { id }), name, response: { output: `result of ${String(name)}` } },
  }
}

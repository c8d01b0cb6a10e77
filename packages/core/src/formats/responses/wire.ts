import { z } from 'zod'

/** Id of the format. */
export const ID = 'responses'

/** Signer of encrypted reasoning without an envelope. Reasoning of other vendors is sent in envelopes. */
export const SIGNER = 'gpt'

/** Rule for ids of tool calls: at most 64 characters. */
export const CALL_ID = { illegal: /[^\x21-\x7e]/g, max: 64 } as const

/** Separator between a namespace and the name of a tool, for formats without namespaces. */
export const NAMESPACE_JOINT = '__'

const breakpoint = z
  .looseObject({ mode: z.literal('explicit'), ttl: z.string().optional() })
  .describe('Marks the prompt up to this point as cacheable.')
const cached = { prompt_cache_breakpoint: breakpoint.nullish() }

const inputText = z.looseObject({ type: z.literal('input_text'), text: z.string(), ...cached })
const inputImage = z.looseObject({
  type: z.literal('input_image'),
  image_url: z.string().nullish().describe('http(s) URL or data URL.'),
  file_id: z.string().nullish().describe('Id of a file at the provider that serves the request.'),
  detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
  ...cached,
})
const inputFile = z.looseObject({
  type: z.literal('input_file'),
  file_data: z.string().nullish().describe('A data URL, or the base64 of a PDF.'),
  file_url: z.string().nullish(),
  file_id: z.string().nullish().describe('Id of a file at the provider that serves the request.'),
  filename: z.string().nullish(),
  ...cached,
})
const inputAudio = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: z.string().describe('Base64.'), format: z.enum(['wav', 'mp3']) }),
})
const outputText = z.looseObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.looseObject({ type: z.string() })).optional(),
  logprobs: z.array(z.looseObject({})).optional(),
})
const refusal = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })

const inputContent = z.discriminatedUnion('type', [inputText, inputImage, inputFile, inputAudio])
const anyContent = z.discriminatedUnion('type', [inputText, inputImage, inputFile, inputAudio, outputText, refusal])
const result = z.union([z.string(), z.array(inputContent)])
const id = z.string().nullish()
const status = z.string().nullish()

const message = z.looseObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(anyContent)]),
  phase: z.enum(['commentary', 'final_answer']).nullish(),
})
const functionCall = z.looseObject({
  type: z.literal('function_call'),
  id,
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().nullish(),
  arguments: z.string().describe('JSON text.'),
  status,
})
const functionOutput = z.looseObject({
  type: z.literal('function_call_output'),
  id,
  call_id: z.string(),
  output: result,
  status,
})
const customCall = z.looseObject({
  type: z.literal('custom_tool_call'),
  id,
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().nullish(),
  input: z.string(),
})
const customOutput = z.looseObject({
  type: z.literal('custom_tool_call_output'),
  id,
  call_id: z.string(),
  output: result,
})
const reasoning = z.looseObject({
  type: z.literal('reasoning'),
  id,
  summary: z.array(z.looseObject({ type: z.literal('summary_text'), text: z.string() })),
  content: z.array(z.looseObject({ type: z.literal('reasoning_text'), text: z.string() })).nullish(),
  encrypted_content: z.string().nullish().describe('Opaque. Send it back unchanged.'),
  status,
})

/** Items of hosted tools, or that only this format has. */
const otherItem = z.looseObject({
  type: z
    .string()
    .describe(
      '`web_search_call`, `file_search_call`, `code_interpreter_call`, `mcp_call`, `item_reference` and similar items, as in responses.',
    ),
})
const item = z.union([message, functionCall, functionOutput, customCall, customOutput, reasoning, otherItem])

const functionTool = z.looseObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish().describe('JSON Schema of the arguments.'),
  strict: z.boolean().nullish(),
})
const customTool = z.looseObject({
  type: z.literal('custom'),
  name: z.string(),
  description: z.string().nullish(),
  format: z
    .looseObject({
      type: z.enum(['text', 'grammar']),
      syntax: z.enum(['lark', 'regex']).optional(),
      definition: z.string().optional(),
    })
    .nullish(),
})
const location = z.looseObject({
  city: z.string().nullish(),
  country: z.string().nullish(),
  region: z.string().nullish(),
  timezone: z.string().nullish(),
})
const webSearch = z.looseObject({
  type: z.enum(['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11']),
  search_context_size: z.enum(['low', 'medium', 'high']).nullish(),
  user_location: location.nullish(),
  filters: z.looseObject({ allowed_domains: z.array(z.string()).nullish() }).nullish(),
})
const namespace = z.looseObject({
  type: z.literal('namespace'),
  name: z.string(),
  description: z.string().nullish(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])),
})
const otherTool = z.looseObject({
  type: z
    .string()
    .describe(
      '`file_search`, `code_interpreter`, `image_generation`, `mcp`, `computer`, `shell`, `apply_patch`, `tool_search` and similar tools.',
    ),
})
const tool = z.union([functionTool, customTool, webSearch, namespace, otherTool])

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required']),
    tools: z.array(z.looseObject({})),
  }),
  z.looseObject({ type: z.string(), name: z.string().optional() }),
])

const textFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string(),
    schema: z.looseObject({}),
    description: z.string().nullish(),
    strict: z.boolean().nullish(),
  }),
])

/**
 * Request schema for documentation; `/openapi.json` is generated from it. Requests are read by `readRequest`, which
 * reports the invalid field and is much faster.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export const requestSchema = z.looseObject({
  model: z.string(),
  input: z
    .union([z.string(), z.array(item)])
    .nullish()
    .describe('Required, unless the request has a prompt or an earlier response.'),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.int().nullish(),
  max_tool_calls: z.int().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  reasoning: z
    .looseObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    })
    .nullish(),
  text: z
    .looseObject({ format: textFormat.nullish(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .nullish(),
  include: z.array(z.string()).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  prompt: z.looseObject({ id: z.string() }).nullish(),
  prompt_cache_key: z.string().nullish(),
  service_tier: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  user: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
})

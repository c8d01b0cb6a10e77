import { z } from 'zod'

/** Id of the format. */
export const ID = 'chat-completions'

/** Vendors' rule for function names: `^[a-zA-Z0-9_-]{1,64}$`. */
export const TOOL_NAME = { illegal: /[^a-zA-Z0-9_-]/g, max: 64 } as const

/** Rule for ids of tool calls: at most 40 characters. */
export const CALL_ID = { illegal: /[^\x21-\x7e]/g, max: 40 } as const

const cacheControl = z
  .looseObject({ type: z.literal('ephemeral'), ttl: z.string().optional() })
  .describe('Marks the prompt up to this point as cacheable.')
const breakpoint = z.looseObject({ mode: z.literal('explicit'), ttl: z.string().optional() })
const cached = { cache_control: cacheControl.optional(), prompt_cache_breakpoint: breakpoint.optional() }

const textPart = z.looseObject({ type: z.literal('text'), text: z.string(), ...cached })
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: z.string().describe('http(s) URL or data URL.'),
    detail: z.enum(['auto', 'low', 'high', 'original']).optional(),
  }),
  ...cached,
})
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: z.string().describe('Base64.'), format: z.enum(['wav', 'mp3']) }),
  ...cached,
})
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({
    file_data: z.string().optional().describe('A data URL, or the base64 of a PDF.'),
    file_id: z.string().optional().describe('Id of a file at the provider that serves the request.'),
    filename: z.string().optional(),
  }),
  ...cached,
})

const textContent = z.union([z.string(), z.array(textPart)])
const userContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart])),
])

const toolCall = z.looseObject({
  id: z.string(),
  type: z.enum(['function', 'custom']),
  function: z.looseObject({ name: z.string(), arguments: z.string().describe('JSON text.') }).optional(),
  custom: z.looseObject({ name: z.string(), input: z.string() }).optional(),
  extra_content: z
    .looseObject({ google: z.looseObject({ thought_signature: z.string().optional() }).optional() })
    .optional()
    .describe('Opaque state of the model. Send it back unchanged.'),
})

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('developer'), content: textContent, name: z.string().optional() }),
  z.looseObject({ role: z.literal('system'), content: textContent, name: z.string().optional() }),
  z.looseObject({ role: z.literal('user'), content: userContent, name: z.string().optional() }),
  z.looseObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPart, refusalPart]))]).nullish(),
    refusal: z.string().nullish(),
    name: z.string().optional(),
    tool_calls: z.array(toolCall).optional(),
    function_call: z
      .looseObject({ name: z.string(), arguments: z.string() })
      .nullish()
      .describe('Deprecated: use `tool_calls`.'),
    reasoning_content: z.string().nullish().describe('Reasoning of the model, as in its response.'),
    thinking_blocks: z
      .array(z.looseObject({ type: z.enum(['thinking', 'redacted_thinking']) }))
      .optional()
      .describe('Signed reasoning. Send it back unchanged.'),
  }),
  z.looseObject({ role: z.literal('tool'), content: textContent, tool_call_id: z.string() }),
  z
    .looseObject({ role: z.literal('function'), content: z.string().nullable(), name: z.string() })
    .describe('Deprecated: use `tool`.'),
])

const functionDefinition = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.looseObject({}).optional().describe('JSON Schema of the arguments.'),
  strict: z.boolean().nullish(),
})

const tool = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('function'), function: functionDefinition, cache_control: cacheControl.optional() }),
  z.looseObject({
    type: z.literal('custom'),
    custom: z.looseObject({
      name: z.string(),
      description: z.string().optional(),
      format: z.looseObject({}).optional(),
    }),
  }),
])

const namedChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
  z.looseObject({ type: z.literal('custom'), custom: z.looseObject({ name: z.string() }) }),
  z.looseObject({
    type: z.literal('allowed_tools'),
    allowed_tools: z.looseObject({ mode: z.enum(['auto', 'required']), tools: z.array(z.looseObject({})) }),
  }),
])

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string(),
      description: z.string().optional(),
      schema: z.looseObject({}).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
])

/**
 * Request schema for documentation; `/openapi.json` is generated from it. Requests are read by `readRequest`, which
 * reports the invalid field and is much faster.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_completion_tokens: z.int().nullish(),
  max_tokens: z.int().nullish().describe('Deprecated: use `max_completion_tokens`, which takes precedence.'),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().optional().describe('Supported by some models.'),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  seed: z.int().nullish(),
  n: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  tools: z.array(tool).optional(),
  tool_choice: namedChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  functions: z.array(functionDefinition).optional().describe('Deprecated: use `tools`.'),
  function_call: z
    .union([z.enum(['none', 'auto']), z.looseObject({ name: z.string() })])
    .optional()
    .describe('Deprecated: use `tool_choice`.'),
  response_format: responseFormat.optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  web_search_options: z.looseObject({ search_context_size: z.enum(['low', 'medium', 'high']).optional() }).optional(),
  service_tier: z.string().nullish(),
  user: z.string().optional(),
  safety_identifier: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
})

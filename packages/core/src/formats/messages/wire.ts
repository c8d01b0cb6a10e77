import { z } from 'zod'

/** Id of the format. */
export const ID = 'messages'

/** Signer of reasoning without an envelope. */
export const SIGNER = 'claude'

/** Vendor's rule for tool names. */
export const TOOL_NAME = { illegal: /[^a-zA-Z0-9_-]/g, max: 128 } as const

/** Version of the vendor's web search that all supporting models have. */
export const WEB_SEARCH_TYPE = 'web_search_20250305'

const cacheControl = z
  .looseObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .describe('Marks the prompt up to this point as cacheable. At most four marks per request.')
  .nullish()

const text = z.looseObject({
  type: z.literal('text'),
  text: z.string(),
  cache_control: cacheControl,
  citations: z.array(z.looseObject({ type: z.string() })).nullish(),
})

const imageSource = z.union([
  z.looseObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    data: z.string(),
  }),
  z.looseObject({ type: z.literal('url'), url: z.string() }),
  z.looseObject({ type: z.literal('file'), file_id: z.string() }),
])

const image = z.looseObject({ type: z.literal('image'), source: imageSource, cache_control: cacheControl })

const documentSource = z.union([
  z.looseObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: z.string() }),
  z.looseObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  z.looseObject({ type: z.literal('content'), content: z.union([z.string(), z.array(z.union([text, image]))]) }),
  z.looseObject({ type: z.literal('url'), url: z.string() }),
  z.looseObject({ type: z.literal('file'), file_id: z.string() }),
])

const document = z.looseObject({
  type: z.literal('document'),
  source: documentSource,
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.looseObject({ enabled: z.boolean().optional() }).nullish(),
  cache_control: cacheControl,
})

const searchResult = z.looseObject({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(text),
  cache_control: cacheControl,
})

const toolResult = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z
    .union([z.string(), z.array(z.union([text, image, document, searchResult, z.looseObject({ type: z.string() })]))])
    .optional(),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
})

const block = z.union([
  text,
  image,
  document,
  searchResult,
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    cache_control: cacheControl,
  }),
  toolResult,
  z
    .looseObject({ type: z.string() })
    .describe('Blocks of hosted tools, such as server_tool_use and web_search_tool_result. Send them back unchanged.'),
])

const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(block)]),
})

const tool = z.looseObject({
  type: z
    .string()
    .nullish()
    .describe(
      'Absent or `custom` for a tool of the caller; otherwise a vendor-defined tool, such as `web_search_20250305`.',
    ),
  name: z.string().optional(),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object').optional() }).optional(),
  strict: z.boolean().optional(),
  cache_control: cacheControl,
})

const parallel = { disable_parallel_tool_use: z.boolean().optional() }

const toolChoice = z.union([
  z.looseObject({ type: z.literal('auto'), ...parallel }),
  z.looseObject({ type: z.literal('any'), ...parallel }),
  z.looseObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
  z.looseObject({ type: z.literal('none') }),
])

const display = z.enum(['summarized', 'omitted']).nullish()

const thinking = z.union([
  z.looseObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), display }),
  z.looseObject({ type: z.literal('adaptive'), display }),
  z.looseObject({ type: z.literal('disabled') }),
  z.looseObject({ type: z.literal('between_tools') }),
])

const jsonSchemaFormat = z.looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })

/**
 * Request schema of `POST /v1/messages` for documentation. Requests are read by `request-read.ts`.
 * @see https://platform.claude.com/docs/en/api/messages
 */
export const requestSchema = z
  .looseObject({
    model: z.string(),
    messages: z.array(message).min(1),
    max_tokens: z.int().min(0).optional().describe("Maximum output tokens. Default: the model's limit."),
    system: z.union([z.string(), z.array(text)]).optional(),
    stream: z.boolean().optional(),
    stop_sequences: z.array(z.string()).optional(),
    temperature: z.number().min(0).max(1).optional().describe('Supported only by older models.'),
    top_p: z.number().min(0).max(1).optional().describe('Supported only by older models.'),
    top_k: z.int().min(0).optional().describe('Supported only by older models.'),
    tools: z.array(tool).optional(),
    tool_choice: toolChoice.optional(),
    thinking: thinking.optional(),
    output_config: z
      .looseObject({
        effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
        format: jsonSchemaFormat.nullish(),
      })
      .optional(),
    output_format: jsonSchemaFormat.nullish().describe('Older name of `output_config.format`.'),
    metadata: z.looseObject({ user_id: z.string().nullish() }).optional(),
    service_tier: z.enum(['auto', 'standard_only']).optional(),
    cache_control: cacheControl,
  })
  .describe('A request in the messages format. Other fields reach a provider with this format unchanged.')

import type { Format } from '@headgate/core/canonical'
import { chatCompletions, completions, generateContent, messages, responses } from '@headgate/core/formats'
import { deploymentOf, modelOf } from '../../edge/model-path.ts'
import {
  bodyOf,
  COST,
  HEADERS,
  IDEMPOTENCY_KEY,
  LOST,
  OBJECT,
  objectResponse,
  REQUEST_ID,
  type RouteOperation,
  SERVED_BY,
  STRICT,
  VENDOR,
} from '../../edge/operation.ts'
import type { Route } from '../../edge/router.ts'

/** Route of the chat family. */
export interface ChatRoute extends Route {
  readonly format: Format
  readonly does: 'chat' | 'count-tokens'
  /** Absent if the body decides. */
  readonly stream?: boolean
}

// Without a type: some readers of the OpenAPI document apply the schema to the whole body, others to each event.
const EVENTS = { 'text/event-stream': { schema: {} } }
const ARRAY = { 'application/json': { schema: { type: 'array', items: { type: 'object' } } } }
const ALT = {
  name: 'alt',
  in: 'query',
  required: false,
  description: '`sse`: a stream of server-sent events. Absent: a JSON array.',
  schema: { type: 'string', enum: ['sse', 'json'] },
}
const ESTIMATED = {
  'headgate-estimated': {
    description: '`true` if the number is an estimate, because the provider does not count tokens.',
    schema: { type: 'string', enum: ['true'] },
  },
}

function chatOperation(id: string, summary: string, format: Format, stream: boolean | undefined): RouteOperation {
  const content =
    stream === undefined
      ? { 'application/json': OBJECT, ...EVENTS }
      : stream
        ? { ...EVENTS, ...ARRAY }
        : { 'application/json': OBJECT }
  return {
    id,
    summary,
    parameters: [...HEADERS, IDEMPOTENCY_KEY, ...(stream ? [ALT] : [])],
    conflicts: true,
    requestBody: bodyOf(format.id),
    responses: {
      '200': {
        description: 'The response.',
        headers: { ...REQUEST_ID, ...SERVED_BY, ...LOST, ...(stream !== true && COST) },
        content,
      },
    },
  }
}

function countOperation(id: string, summary: string, format: Format): RouteOperation {
  const responses = objectResponse('The number of tokens.', { ...REQUEST_ID, ...SERVED_BY, ...LOST, ...ESTIMATED })
  return { id, summary, parameters: [VENDOR, STRICT], requestBody: bodyOf(format.id), responses }
}

/** Verbs of a model path in generateContent. */
export const VERBS: ReadonlySet<string> = new Set(['generateContent', 'streamGenerateContent', 'countTokens'])

/**
 * Routes of the three verbs. `place` is the path of a model; its project, location and publisher do not affect routing.
 */
function verbs(place: string, suffix: string, note: string): ChatRoute[] {
  const format = generateContent
  const isOfPublisher = place.includes('/publishers/')
  const route = (verb: string, rest: Pick<ChatRoute, 'does' | 'stream' | 'operation'>): ChatRoute => ({
    method: 'POST',
    path: `${place}:${verb}`,
    match: (path) => (isOfPublisher && !path.includes('/publishers/') ? undefined : modelOf(path, verb)),
    format,
    ...rest,
  })
  const answers = 'Creates a model response in the generateContent format'
  return [
    route('generateContent', {
      does: 'chat',
      stream: false,
      operation: chatOperation(`generate-content${suffix}`, `${answers}.${note}`, format, false),
    }),
    route('streamGenerateContent', {
      does: 'chat',
      stream: true,
      operation: chatOperation(`stream-generate-content${suffix}`, `${answers}, as a stream.${note}`, format, true),
    }),
    route('countTokens', {
      does: 'count-tokens',
      operation: countOperation(
        `count-tokens${suffix}`,
        `Counts the input tokens of a request in the generateContent format.${note}`,
        format,
      ),
    }),
  ]
}

/** Route of Azure's clients, with the model in the path. */
function deployments(rest: string, format: Format, what: string): ChatRoute {
  const path = `/openai/deployments/{model}${rest}`
  const operation = chatOperation(
    `${format.id}-of-deployment`,
    `${what}. The deployment in the path is the model.`,
    format,
    undefined,
  )
  return { method: 'POST', path, match: (given) => deploymentOf(given, rest), format, does: 'chat', operation }
}

const CONVERSATION = 'Creates a model response in the chat completions format'
const COMPLETION = 'Completes a prompt in the legacy completions format'

/** All routes of the chat family, the recommended one first. */
export const CHAT_ROUTES: readonly ChatRoute[] = [
  {
    method: 'POST',
    path: '/v1/chat/completions',
    format: chatCompletions,
    does: 'chat',
    operation: chatOperation('chat-completions', `${CONVERSATION}.`, chatCompletions, undefined),
  },
  {
    method: 'POST',
    path: '/v1/completions',
    format: completions,
    does: 'chat',
    operation: chatOperation('completions', `${COMPLETION}.`, completions, undefined),
  },
  deployments('/chat/completions', chatCompletions, CONVERSATION),
  deployments('/completions', completions, COMPLETION),
  {
    method: 'POST',
    path: '/v1/messages',
    format: messages,
    does: 'chat',
    operation: chatOperation('messages', 'Creates a model response in the messages format.', messages, undefined),
  },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    format: messages,
    does: 'count-tokens',
    operation: countOperation(
      'count-tokens-of-messages',
      'Counts the input tokens of a request in the messages format.',
      messages,
    ),
  },
  {
    method: 'POST',
    path: '/v1/responses',
    format: responses,
    does: 'chat',
    operation: chatOperation('responses', 'Creates a model response in the responses format.', responses, undefined),
  },
  {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    format: responses,
    does: 'count-tokens',
    operation: countOperation(
      'count-tokens-of-responses',
      'Counts the input tokens of a request in the responses format.',
      responses,
    ),
  },
  ...verbs(
    '/v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}',
    '-of-project',
    ' Project, location and publisher do not affect routing.',
  ),
  ...verbs('/v1beta/models/{model}', '', ''),
]

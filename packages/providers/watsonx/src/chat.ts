import { type ChatSupport, HeadgateError, isObject, type Json, objects } from '@headgate/core/provider'
import type { RequestScope } from './scope.ts'

/** Fields of OpenAI that the vendor's reference does not have. */
const UNKNOWN = [
  ...[
    'stream_options',
    'user',
    'store',
    'metadata',
    'service_tier',
    'verbosity',
    'parallel_tool_calls',
    'safety_identifier',
  ],
  ...['prompt_cache_key', 'prompt_cache_retention'],
]

/**
 * @see https://cloud.ibm.com/apidocs/watsonx-ai#text-chat and https://cloud.ibm.com/apidocs/watsonx-ai#text-chat-stream
 */
export function chatAt({ owner, version }: RequestScope): ChatSupport {
  return {
    format: 'chat-completions',
    path: ({ stream }) => `/ml/v1/text/${stream ? 'chat_stream' : 'chat'}?${version}`,
    drop: UNKNOWN,
    patchRequest: (body) => ({ ...inItsWords(body), ...owner }),
    patchResponse: endedByTime,
    patchFrame: ({ json }) => endedByTime(json),
    facts: { usageInStream: 'always', imageUrls: false },
  }
}

/** Request in the vendor's format. The path tells if it streams. */
function inItsWords({ model, stream: _, tool_choice, stop, messages, ...rest }: Json): Json {
  const choice = typeof tool_choice === 'string' ? { tool_choice_option: tool_choice } : { tool_choice }
  return {
    model_id: model,
    messages: Array.isArray(messages) ? messages.map(inItsRoles) : messages,
    ...rest,
    ...(tool_choice !== undefined && choice),
    ...(stop !== undefined && { stop: typeof stop === 'string' ? [stop] : stop }),
  }
}

function inItsRoles(message: unknown): unknown {
  if (!isObject(message)) return message
  if (objects(message['content']).some(({ type }) => type === 'file'))
    throw new HeadgateError(
      'invalid-request',
      'watsonx.ai does not accept files. Send their text, or use a model that accepts files.',
      {
        param: 'messages',
      },
    )
  return message['role'] === 'developer' ? { ...message, role: 'system' } : message
}

/** Response or chunk with a finish reason that callers know. */
function endedByTime(body: Json): Json {
  const choices = objects(body['choices'])
  if (!choices.some(isLate)) return body
  return {
    ...body,
    choices: choices.map((choice) => (isLate(choice) ? { ...choice, finish_reason: 'length' } : choice)),
  }
}

function isLate({ finish_reason }: Json): boolean {
  return finish_reason === 'time_limit'
}

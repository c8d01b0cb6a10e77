import type { Format } from '../../canonical/format.ts'
import { HeadgateError } from '../../errors.ts'
import { chatCompletions } from '../chat-completions/index.ts'
import { checkPrompt, readRequest } from './request.ts'
import { readResponse, readStream, writeResponse, writeStream } from './response.ts'
import { ID, requestSchema } from './wire.ts'

/**
 * OpenAI's legacy completions. Callers can use it with every model; a provider that declares it gets their bodies
 * unchanged. Other formats are never translated to it, because a prompt cannot represent a conversation.
 * Errors, usage, stream frames and the end of a stream are the same as in chat completions.
 * @see https://platform.openai.com/docs/api-reference/completions
 */
export const completions: Format = {
  id: ID,
  turns: 'prompt',
  promptFields: [],
  checkTurns: checkPrompt,
  modelInBody: true,
  ...(chatCompletions.fieldNames && { fieldNames: chatCompletions.fieldNames }),
  requestSchema,
  urls: { takes: () => true, keys: [], field: () => 'prompt' },
  readRequest,
  writeRequest(request) {
    throw new HeadgateError(
      'unknown-model',
      `The model "${request.model}" supports only legacy completions. Call POST /v1/completions.`,
      {
        param: 'model',
      },
    )
  },
  readResponse,
  writeResponse,
  readStream,
  writeStream,
  readError: chatCompletions.readError,
  writeError: chatCompletions.writeError,
  writeStreamError: chatCompletions.writeStreamError,
  ping: chatCompletions.ping,
  outputLimit: {
    ...chatCompletions.outputLimit,
    names: { outputs: ['max_tokens'], counts: ['n', 'best_of'] },
    edits: (_body, _target, tokens) => [{ path: ['max_tokens'], value: tokens }],
  },
  // A list of numbers is one prompt of tokens.
  prompts({ prompt }) {
    return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1
  },
  stored: chatCompletions.stored,
  normalize: chatCompletions.normalize,
  isResponse: ({ choices }) => Array.isArray(choices) && choices.length > 0,
  summarize: chatCompletions.summarize,
  usageReader: chatCompletions.usageReader,
  relevantFrames: chatCompletions.relevantFrames,
  done: '[DONE]',
}

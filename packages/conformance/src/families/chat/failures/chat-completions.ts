import type { VendorFailures } from '../../../failures/failure.ts'

const error = (message: string, type: string, code: string | null = null) => ({
  error: { message, type, param: null, code },
})
const invalid = 'invalid_request_error'

/** @see https://platform.openai.com/docs/guides/error-codes */
export const chatCompletionsFailures: VendorFailures = {
  answers: [
    {
      name: '400 for an invalid field',
      kind: 'invalid-request',
      reply: { kind: 'whole', status: 400, body: error('Invalid value for temperature.', invalid) },
    },
    {
      name: '400 for too long a context',
      kind: 'context-too-long',
      reply: {
        kind: 'whole',
        status: 400,
        body: error("This model's maximum context length is 128000 tokens.", invalid, 'context_length_exceeded'),
      },
    },
    {
      name: '401',
      kind: 'our-credential',
      reply: { kind: 'whole', status: 401, body: error('Incorrect API key provided.', invalid, 'invalid_api_key') },
    },
    {
      name: '403',
      kind: 'our-credential',
      reply: { kind: 'whole', status: 403, body: error('Project has no access.', invalid) },
    },
    {
      name: '404 for an unknown model',
      kind: 'unknown-model',
      reply: { kind: 'whole', status: 404, body: error('The model does not exist.', invalid, 'model_not_found') },
    },
    {
      name: '429',
      kind: 'rate-limited',
      reply: { kind: 'whole', status: 429, body: error('Rate limit reached.', 'requests', 'rate_limit_exceeded') },
    },
    {
      name: '429 with retry-after',
      kind: 'rate-limited',
      retryAfter: 30,
      reply: {
        kind: 'whole',
        status: 429,
        headers: { 'retry-after': '30' },
        body: error('Rate limit reached.', 'tokens', 'rate_limit_exceeded'),
      },
    },
    {
      name: '500',
      kind: 'upstream',
      reply: { kind: 'whole', status: 500, body: error('The server had an error.', 'server_error') },
    },
    {
      name: '503',
      kind: 'overloaded',
      reply: { kind: 'whole', status: 503, body: error('The engine is overloaded.', 'server_error') },
    },
  ],
  body: (status, message) => error(message, status < 500 ? invalid : 'server_error'),
  frame: (message) => `data: ${JSON.stringify(error(message, 'server_error'))}\n\n`,
}

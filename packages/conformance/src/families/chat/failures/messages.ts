import type { VendorFailures } from '../../../failures/failure.ts'

const error = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011fixture',
})

/** @see https://platform.claude.com/docs/en/api/errors */
export const messagesFailures: VendorFailures = {
  answers: [
    {
      name: '400 for an invalid field',
      kind: 'invalid-request',
      reply: { kind: 'whole', status: 400, body: error('invalid_request_error', 'temperature: range: 0..1') },
    },
    {
      name: '400 for too long a context',
      kind: 'context-too-long',
      reply: {
        kind: 'whole',
        status: 400,
        body: error('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      },
    },
    {
      name: '401',
      kind: 'our-credential',
      reply: { kind: 'whole', status: 401, body: error('authentication_error', 'invalid x-api-key') },
    },
    {
      name: '403',
      kind: 'our-credential',
      reply: { kind: 'whole', status: 403, body: error('permission_error', 'The key has no permission.') },
    },
    {
      name: '404 for an unknown model',
      kind: 'unknown-model',
      reply: { kind: 'whole', status: 404, body: error('not_found_error', 'model: claude-of-tomorrow') },
    },
    {
      name: '413',
      kind: 'context-too-long',
      reply: { kind: 'whole', status: 413, body: error('request_too_large', 'Request exceeds the maximum size.') },
    },
    {
      name: '429',
      kind: 'rate-limited',
      reply: { kind: 'whole', status: 429, body: error('rate_limit_error', 'Rate limit reached.') },
    },
    {
      name: '429 with retry-after',
      kind: 'rate-limited',
      retryAfter: 30,
      reply: {
        kind: 'whole',
        status: 429,
        headers: { 'retry-after': '30' },
        body: error('rate_limit_error', 'Rate limit reached.'),
      },
    },
    {
      name: '500',
      kind: 'upstream',
      reply: { kind: 'whole', status: 500, body: error('api_error', 'Internal server error') },
    },
    {
      name: '529',
      kind: 'overloaded',
      reply: { kind: 'whole', status: 529, body: error('overloaded_error', 'Overloaded') },
    },
  ],
  body: (status, message) => error(status < 500 ? 'invalid_request_error' : 'api_error', message),
  frame: (message) => `event: error\ndata: ${JSON.stringify(error('overloaded_error', message))}\n\n`,
}

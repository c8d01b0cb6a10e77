import type { VendorFailures } from '../../../failures/failure.ts'

const error = (code: number, status: string, message: string, details: readonly object[] = []) => ({
  error: { code, message, status, details },
})
const info = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
})

/** @see https://ai.google.dev/gemini-api/docs/troubleshooting */
export const generateContentFailures: VendorFailures = {
  answers: [
    {
      name: '400 for an invalid field',
      kind: 'invalid-request',
      reply: {
        kind: 'whole',
        status: 400,
        body: error(400, 'INVALID_ARGUMENT', 'Invalid value at generation_config.temperature'),
      },
    },
    {
      name: '400 for too long a context',
      kind: 'context-too-long',
      reply: {
        kind: 'whole',
        status: 400,
        body: error(
          400,
          'INVALID_ARGUMENT',
          'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        ),
      },
    },
    {
      name: '400 for an invalid key',
      kind: 'our-credential',
      reply: {
        kind: 'whole',
        status: 400,
        body: error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
          info('API_KEY_INVALID'),
        ]),
      },
    },
    {
      name: '403',
      kind: 'our-credential',
      reply: { kind: 'whole', status: 403, body: error(403, 'PERMISSION_DENIED', 'The caller has no permission.') },
    },
    {
      name: '404 for an unknown model',
      kind: 'unknown-model',
      reply: {
        kind: 'whole',
        status: 404,
        body: error(404, 'NOT_FOUND', 'models/gemini-of-tomorrow is not found for API version v1beta'),
      },
    },
    {
      name: '429',
      kind: 'rate-limited',
      reply: { kind: 'whole', status: 429, body: error(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.') },
    },
    {
      name: '429 with the wait in its details',
      kind: 'rate-limited',
      retryAfter: 30,
      reply: {
        kind: 'whole',
        status: 429,
        body: error(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.', [
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '30s' },
        ]),
      },
    },
    {
      name: '500',
      kind: 'upstream',
      reply: { kind: 'whole', status: 500, body: error(500, 'INTERNAL', 'An internal error has occurred.') },
    },
    {
      name: '503',
      kind: 'overloaded',
      reply: { kind: 'whole', status: 503, body: error(503, 'UNAVAILABLE', 'The model is overloaded.') },
    },
  ],
  body: (status, message) => error(status, status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL', message),
  frame: (message) => `data: ${JSON.stringify(error(503, 'UNAVAILABLE', message))}\r\n\r\n`,
}

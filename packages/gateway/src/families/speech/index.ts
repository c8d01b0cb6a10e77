import { chatCompletions } from '@headgate/core/formats'
import { readBody } from '../../edge/body.ts'
import {
  bodyOf,
  HEADERS,
  IDEMPOTENCY_KEY,
  LOST,
  REQUEST_ID,
  type RouteOperation,
  SERVED_BY,
} from '../../edge/operation.ts'
import type { Family } from '../../serve/family.ts'
import { boundOfSpeech } from './bound.ts'
import { SPEECH_TYPES } from './format.ts'
import { serveSpeech } from './serve.ts'
import { speechRequestSchema } from './wire.ts'

const PATH = '/v1/audio/speech'
const BINARY = { schema: { type: 'string', format: 'binary' } }

const OPERATION: RouteOperation = {
  id: 'speech',
  summary: 'Speaks a string.',
  parameters: [...HEADERS, IDEMPOTENCY_KEY],
  conflicts: true,
  requestBody: bodyOf('speech'),
  responses: {
    '200': {
      description:
        'The sound, as it arrives; with `stream_format: sse` events with its parts in base64, and with the usage if the provider counts tokens.',
      headers: { ...REQUEST_ID, ...SERVED_BY, ...LOST },
      content: {
        ...Object.fromEntries(Object.values(SPEECH_TYPES).map((type) => [type, BINARY])),
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
  },
}

/** Speech, at any provider that supports it, in its formats. */
export const speech: Family = {
  id: 'speech',
  kind: 'provider',
  schemas: { speech: speechRequestSchema },
  errors: (path) => (path === PATH ? chatCompletions : undefined),
  has: ({ speech: support }) => support !== undefined,
  bound: boundOfSpeech,
  open: (core) => ({
    routes: [
      {
        method: 'POST',
        path: PATH,
        operation: OPERATION,
        canDryRun: true,
        isIdempotent: true,
        async serve(context) {
          await serveSpeech(core, context, await readBody(context.incoming, core.limits, context.memory))
        },
      },
    ],
  }),
}

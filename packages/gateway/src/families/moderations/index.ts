import { chatCompletions } from '@headgate/core/formats'
import { readBody } from '../../edge/body.ts'
import {
  bodyOf,
  COST,
  HEADERS,
  IDEMPOTENCY_KEY,
  LOST,
  objectResponse,
  REQUEST_ID,
  type RouteOperation,
  SERVED_BY,
} from '../../edge/operation.ts'
import type { Family } from '../../serve/family.ts'
import { boundOfModerations, serveModerations } from './serve.ts'
import { moderationsRequestSchema } from './wire.ts'

const PATH = '/v1/moderations'

const OPERATION: RouteOperation = {
  id: 'moderations',
  summary: 'Classifies text and images by categories of harmful content.',
  parameters: [...HEADERS, IDEMPOTENCY_KEY],
  conflicts: true,
  requestBody: bodyOf('moderations'),
  responses: objectResponse('One result for each text, or one for all parts: `flagged`, categories and scores.', {
    ...REQUEST_ID,
    ...SERVED_BY,
    ...LOST,
    ...COST,
  }),
}

/** Classification of content, at any provider that supports it. A failed request never looks like a harmless one. */
export const moderations: Family = {
  id: 'moderations',
  kind: 'provider',
  schemas: { moderations: moderationsRequestSchema },
  errors: (path) => (path === PATH ? chatCompletions : undefined),
  has: ({ moderations: support }) => support !== undefined,
  bound: boundOfModerations,
  open: (core) => ({
    routes: [
      {
        method: 'POST',
        path: PATH,
        operation: OPERATION,
        canDryRun: true,
        isIdempotent: true,
        async serve(context) {
          await serveModerations(core, context, await readBody(context.incoming, core.limits, context.memory))
        },
      },
    ],
  }),
}

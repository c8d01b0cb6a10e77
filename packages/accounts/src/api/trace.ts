import { z } from '@hono/zod-openapi'
import { Instant, listOf } from './schemas.ts'

const Headers = z.record(z.string(), z.string())
const Body = z.object({
  text: z.string().openapi({ description: 'Text of the body; empty for binary data.' }),
  bytes: z.int().openapi({ description: 'Full length in bytes.' }),
  isCut: z.boolean().openapi({ description: 'True if the text is only the beginning.' }),
})
const Call = z.object({
  provider: z
    .string()
    .optional()
    .openapi({ description: 'Called provider; absent for the request of the caller to the gateway.' }),
  method: z.string(),
  url: z.string(),
  headers: Headers,
  body: Body,
  startedAt: Instant,
  durationMs: z.number(),
  answer: z.object({ status: z.int(), headers: Headers, body: Body }).optional(),
  failure: z.string().optional(),
})

/** Trace of a request. */
export const Trace = z
  .object({
    requestId: z.string(),
    principal: z.string(),
    startedAt: Instant,
    calls: listOf(Call).openapi({ description: 'Exchange with the caller, followed by the upstream calls.' }),
  })
  .openapi('Trace')

export type Trace = z.infer<typeof Trace>

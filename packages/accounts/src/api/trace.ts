import { z } from '@hono/zod-openapi'
import { Instant, listOf } from './schemas.ts'

const Headers = z.record(z.string(), z.string())
const Body = z.object({
  text: z.string().openapi({ description: 'Empty of what is no text.' }),
  bytes: z.int().openapi({ description: 'As long it was as a whole.' }),
  isCut: z.boolean().openapi({ description: 'Whether the text is its beginning only.' }),
})
const Call = z.object({
  provider: z.string().optional().openapi({ description: 'Who was asked; absent = the caller asked the gateway.' }),
  method: z.string(),
  url: z.string(),
  headers: Headers,
  body: Body,
  startedAt: Instant,
  durationMs: z.number(),
  answer: z.object({ status: z.int(), headers: Headers, body: Body }).optional(),
  failure: z.string().optional(),
})

/** What went over the wire for a request. */
export const Trace = z
  .object({
    requestId: z.string(),
    principal: z.string(),
    startedAt: Instant,
    calls: listOf(Call).openapi({ description: 'The caller’s first, then those of upstreams.' }),
  })
  .openapi('Trace')

export type Trace = z.infer<typeof Trace>

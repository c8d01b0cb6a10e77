import { z } from 'zod'

/** Entry of `sinks`. Other fields are the adapter's configuration, checked by the adapter. */
const sink = z.looseObject({
  adapter: z.string().min(1).exactOptional().describe('Id of the adapter. Default: the name of the entry.'),
  enabled: z.boolean().exactOptional().describe('`false` disables the sink. Waiting rows stay on disk.'),
  maxBacklog: z
    .int()
    .min(1_000_000)
    .exactOptional()
    .describe(
      'Maximum bytes of usage rows that wait on disk while the destination is unreachable. If it is full, new rows are left out and counted. Default: 1000000000.',
    ),
})

/** Destinations of usage rows. A name is also the name of a folder. */
export const sinks = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a name of at most 63 lower-case letters, digits and dashes'),
  sink,
)

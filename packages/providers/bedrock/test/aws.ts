import { EventStreamCodec } from '@smithy/eventstream-codec'

/** AWS's own codec of `application/vnd.amazon.eventstream`. */
export const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (source) => Buffer.from(source, 'utf8'),
)

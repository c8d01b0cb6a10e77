import { createHmac } from 'node:crypto'
import { memoryTasks, type TaskOptions } from '@headgate/gateway'

/** Where the kit's gateway says that callers reach it: what it links to begins so. */
export const PUBLIC_URL = 'https://gateway.example'

/** How often the kit's gateway may look at tasks: as often as somebody asks. */
export const PACE = { everyMs: 1, perSecond: 1_000 } as const

/** Tasks of a gateway that lives as long as a test. */
export function benchTasks(): TaskOptions {
  const sign = (parts: readonly string[], expires: number): string =>
    createHmac('sha256', 'links of the kit')
      .update(JSON.stringify([parts, expires]))
      .digest('base64url')
  return {
    store: memoryTasks(),
    publicUrl: () => PUBLIC_URL,
    links: {
      sign,
      verify: (parts, expires, signature) => sign(parts, expires) === signature && expires * 1_000 > Date.now(),
    },
    callbackSecret: () => `whsec_${Buffer.from('callbacks of the kit').toString('base64')}`,
  }
}

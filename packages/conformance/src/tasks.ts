import { createHmac } from 'node:crypto'
import { memoryTasks, type TaskOptions } from '@headgate/gateway'

/** Public URL of the kit's gateway, the prefix of its links. */
export const PUBLIC_URL = 'https://gateway.example'

/** Poll rate of tasks: no limit in practice. */
export const PACE = { everyMs: 1, perSecond: 1_000 } as const

/** Tasks of a gateway that exists as long as a test. */
export function harnessTasks(): TaskOptions {
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

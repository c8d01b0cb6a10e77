import type { TaskOptions } from '@headgate/gateway'
import type { Secret, Store } from '@headgate/store'
import { webhookSecret } from '@headgate/store'
import type { Settings } from '../config/settings.ts'

/** What a key's holder verifies callbacks by. */
export function callbackSecret(secret: Secret, owner: string): string {
  return webhookSecret(secret, 'callbacks', owner)
}

/** How tasks are kept, and what is linked to. `publicUrl` is asked when something is linked to. */
export function taskOptions({ config }: Settings, store: Store, secret: Secret, publicUrl: () => string): TaskOptions {
  const { links, privateCallbacks } = config.video ?? {}
  return {
    store: store.tasks,
    publicUrl,
    links: secret.subKeys('links'),
    callbackSecret: (owner) => callbackSecret(secret, owner),
    ...(links && { linking: links }),
    ...(privateCallbacks && { allowPrivateCallbacks: privateCallbacks }),
  }
}

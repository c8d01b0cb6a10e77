import type { TaskOptions } from '@headgate/core'
import type { Secret, Store } from '@headgate/store'
import type { Settings } from '../config/settings.ts'

/** What a key's holder verifies callbacks by: the same in every process that has the secret. @see https://www.standardwebhooks.com */
export function callbackSecret(secret: Secret, owner: string): string {
  const bytes = Buffer.from(secret.subKeys('callbacks').sign([owner], 0), 'base64url')
  return `whsec_${bytes.toString('base64')}`
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

import type { KeyInfo, KeyInfoOf } from '@headgate/gateway'
import type { Store } from '@headgate/store'

interface KeyInfoSources {
  readonly keys: Pick<Store['keys'], 'get'>
  readonly usage: Pick<Store['usage'], 'ofKey'>
}

/** What a key's holder is told of it. One that asks again before it is told waits for the same answer. */
export function createKeyInfo({ keys, usage }: KeyInfoSources): KeyInfoOf {
  const pending = new Map<string, Promise<KeyInfo>>()

  const ask = async (id: string): Promise<KeyInfo> => {
    // A key of the configuration has used something, and is no row of the store.
    const [stored, used] = await Promise.all([keys.get(id), usage.ofKey(id)])
    const { createdAt, expiresAt } = stored ?? {}
    return { used, ...(createdAt !== undefined && { createdAt }), ...(expiresAt !== undefined && { expiresAt }) }
  }

  return ({ id }) => {
    const asking = pending.get(id)
    if (asking) return asking
    const answer = ask(id).finally(() => pending.delete(id))
    pending.set(id, answer)
    return answer
  }
}

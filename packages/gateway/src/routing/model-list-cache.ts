import { HeadgateError } from '@headgate/core/errors'
import { NO_CALL, runExchange } from '../http/exchange.ts'
import { scrub } from '../http/scrub.ts'
import type { UpstreamAccess } from '../http/send.ts'
import type { ListStore } from '../ports/list-store.ts'
import { type ConfiguredInstance, setLive } from './catalog.ts'

const HOUR_MS = 3_600_000
/** A list younger than this is not read again after a miss, in milliseconds. */
const FRESH_MS = 60_000
const READ_MS = 30_000
const MAX_BYTES = 32 * 1024 * 1024

export interface ModelListCache {
  /** Reads every list once. Resolves after at most `patienceMs`; lists that arrive later still count. */
  load(patienceMs: number): Promise<void>
  /** Refreshes all lists that are not fresh, after a request for an unknown model. Waits for refreshes in progress. */
  onMiss(): Promise<void>
  close(): void
}

/** Keeps the instances' model lists current: read at start, hourly, and once on a miss. */
export function createModelListCache(
  instances: readonly ConfiguredInstance[],
  wire: UpstreamAccess,
  options: { onWarning: (message: string) => void; store?: ListStore | undefined },
): ModelListCache {
  const abort = new AbortController()
  const readAt = new Map<ConfiguredInstance, number>()
  const running = new Map<ConfiguredInstance, Promise<void>>()
  const open = instances.filter((instance) => instance.provider.models && !instance.closed)
  const warn = (instance: ConfiguredInstance, error: unknown): void => {
    if (abort.signal.aborted) return
    const why = scrub(error instanceof Error ? error.message : String(error), instance.provider)
    options.onWarning(`The models of ${instance.name} cannot be listed: ${why}`)
  }

  const read = async (instance: ConfiguredInstance): Promise<void> => {
    const exchange = instance.provider.models
    if (!exchange) return
    readAt.set(instance, Date.now())
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(READ_MS)])
    try {
      const facts = await runExchange(wire, instance.provider, exchange, undefined, {
        call: NO_CALL,
        limit: MAX_BYTES,
        signal,
        check(answer) {
          const error = instance.provider.readError?.(answer)
          if (error || answer.status >= 400) throw new HeadgateError('upstream', `status ${answer.status}`)
        },
      })
      if (!Array.isArray(facts)) throw new HeadgateError('upstream', 'The adapter did not return a list of models.')
      setLive(instance, facts)
      await options.store?.write(instance.name, facts)
    } catch (error) {
      warn(instance, error)
    }
  }
  const refresh = (instance: ConfiguredInstance): Promise<void> => {
    const known = running.get(instance)
    if (known) return known
    const promise = read(instance).finally(() => running.delete(instance))
    running.set(instance, promise)
    return promise
  }
  const restore = async (instance: ConfiguredInstance): Promise<void> => {
    try {
      const facts = await options.store?.read(instance.name)
      if (facts && !instance.live) setLive(instance, facts)
    } catch (error) {
      warn(instance, error)
    }
  }
  const hourly = setInterval(() => {
    for (const instance of open) void refresh(instance)
  }, HOUR_MS)
  hourly.unref()

  return {
    async load(patienceMs) {
      await Promise.all(open.map(restore))
      const all = Promise.all(open.map(refresh))
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, patienceMs)
      })
      await Promise.race([all, patience])
      clearTimeout(timer)
    },
    async onMiss() {
      const now = Date.now()
      // A list from the future was read before the clock was set back.
      const isStale = (instance: ConfiguredInstance): boolean => Math.abs(now - (readAt.get(instance) ?? 0)) > FRESH_MS
      await Promise.all(open.filter((instance) => running.has(instance) || isStale(instance)).map(refresh))
    },
    close() {
      clearInterval(hourly)
      abort.abort()
    },
  }
}

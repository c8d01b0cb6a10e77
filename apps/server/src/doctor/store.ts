import { HeadgateError } from '@headgate/gateway'
import { probeStore, type StoreOptions } from '@headgate/store'
import type { Finding } from './finding.ts'

/** Checks that the store, where there is one already, is one that this program can use. */
export async function checkStore(options: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>): Promise<Finding[]> {
  const about = 'store'
  try {
    await probeStore(options)
    return options.databaseUrl !== undefined ? [{ state: 'ok', about, text: 'Postgres answers' }] : []
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
    return [{ state: 'wrong', about, text: error.message }]
  }
}

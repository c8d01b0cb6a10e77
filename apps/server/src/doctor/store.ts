import { HeadgateError } from '@headgate/gateway'
import { probeStore, type StoreOptions } from '@headgate/store'
import type { DoctorFinding } from './finding.ts'

/** Checks that this program can use the store, if one exists. */
export async function checkStore(options: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>): Promise<DoctorFinding[]> {
  const about = 'store'
  try {
    await probeStore(options)
    return options.databaseUrl !== undefined ? [{ state: 'ok', about, text: 'Postgres responds' }] : []
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
    return [{ state: 'wrong', about, text: error.message }]
  }
}

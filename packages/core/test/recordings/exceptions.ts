import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FormatId } from './recordings.ts'

/** Recordings that can not come out as they went in, because of what the upstream sent. */
export interface Exception {
  readonly cause: string
  /** Callers for whom it is so; absent = all. */
  readonly for?: readonly FormatId[]
  readonly ids: readonly string[]
}

const exceptions = JSON.parse(readFileSync(join(import.meta.dirname, 'exceptions.json'), 'utf8')) as readonly Exception[]

/** Whether a recording is known not to come out for a caller of a format. */
export function isException(id: string, caller: FormatId): boolean {
  return exceptions.some((exception) => exception.ids.includes(id) && (exception.for?.includes(caller) ?? true))
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FormatId } from './recordings.ts'

/** Recordings that can not come out as they went in, because of what they are. */
interface Exception {
  readonly cause: string
  /** Formats that they come out in; absent = all. */
  readonly for?: readonly FormatId[]
  readonly ids: readonly string[]
}

type Kind = 'answers' | 'requests'

const exceptions = JSON.parse(readFileSync(join(import.meta.dirname, 'exceptions.json'), 'utf8')) as Record<
  Kind,
  Exception[]
>

/** Whether it is known of a recorded answer, or request, that it does not come out in a format. */
export function isException(kind: Kind, id: string, format: FormatId): boolean {
  return exceptions[kind].some((exception) => exception.ids.includes(id) && (exception.for?.includes(format) ?? true))
}

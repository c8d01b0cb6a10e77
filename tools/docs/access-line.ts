import { createLog } from '../../apps/server/src/service/log.ts'
import { fence } from './markdown.ts'
import { SAMPLE_RECORD } from './sample-record.ts'

/** Log line of a served request. */
export function accessLine(): string {
  const lines: string[] = []
  const log = createLog('info', { stream: { write: (text) => void lines.push(text) } })
  log.access(SAMPLE_RECORD)
  log.flush()
  return fence('json', JSON.stringify({ ...JSON.parse(lines.join('')), time: '2026-11-21T00:00:00.812Z' }, null, 2))
}

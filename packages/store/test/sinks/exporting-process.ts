import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { SinkInstance } from '@headgate/gateway/operate'
import { openReceivers } from '../../src/receivers/row-receiver.ts'
import { openSinks } from '../../src/sinks/sinks.ts'
import { ledgerRow } from '../support/rows.ts'

/**
 * Process that reads rows from an endless journal, gives them to a sink, and stores its position after each batch, as
 * the store does. Arguments: folder, URL, number of rows, start of the simulated clock.
 */
const [, , folder = '', url = '', total = '0', start = '0'] = process.argv
const file = join(folder, 'position')
/** Rows that the journal may be ahead of the sink. */
const AHEAD = 60_000
const BATCH = 2_000
const clock = { at: Number(start), sent: 0 }

const sink: SinkInstance = {
  name: 'loopback',
  baseUrl: url,
  credential: { kind: 'none' },
  limits: { rows: 5_000, bytes: 4_000_000, waitMs: 5_000 },
  compression: 'gzip',
  write: {
    request: ({ id, content }) => ({
      method: 'POST',
      url: '/rows',
      headers: { 'x-batch': id, 'x-now': String(clock.at) },
      body: { bytes: content, type: 'application/gzip' },
    }),
    response: () => {},
  },
}

const receiver = await openReceivers([], { onProblem() {} }, [
  openSinks([{ name: 'loopback', sink, maxBacklog: 2_000_000_000 }], {
    dataDir: folder,
    ownersOf: async () => new Map(),
    onProblem() {},
    onState: ({ sent }) => {
      clock.sent = sent
    },
    clock: {
      now: () => clock.at,
      async wait(ms, signal) {
        signal.throwIfAborted()
        clock.at += ms
        await turn()
      },
    },
  }),
])

let position = positionIn(file)
while (position < Number(total)) {
  // Leaves time for the sink.
  while (position - clock.sent > AHEAD) await new Promise((resolve) => setTimeout(resolve, 1))
  const rows = Array.from({ length: Math.min(BATCH, Number(total) - position) }, (_, index) =>
    ledgerRow(position + index),
  )
  receiver?.rows('run', rows)
  await turn()
  position += rows.length
  writeFileSync(`${file}.next`, String(position))
  renameSync(`${file}.next`, file)
}
process.stdout.write('written\n')
setInterval(() => {}, 60_000)

function positionIn(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return 0
  }
}

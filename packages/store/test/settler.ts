import { writeSync } from 'node:fs'
import { uuidv7 } from '@headgate/gateway/ports'
import { openStore } from '../src/store.ts'
import { end } from './journal/row.ts'

/**
 * Settles rows without end, and writes a byte to standard output for each that is settled. Their requests have a name
 * and a number.
 */
const [dataDir = '', name] = process.argv.slice(2)
const { ledger } = await openStore({ dataDir, onProblem: (problem) => writeSync(2, `${problem}\n`) })
let settled = 0

for (;;) {
  const first = settled
  const rows = Array.from({ length: 10 }, (_, index) => {
    const requestId = `${name}_${first + index}`
    return end(uuidv7(), { requestId, startedAt: Date.now(), usage: { input: first + index, output: 1 } }).row
  })
  await Promise.all(rows.map((row) => ledger.settle(row)))
  settled += rows.length
  // Whoever reads may be slow.
  await new Promise((resolve) => process.stdout.write('.'.repeat(rows.length), resolve))
}

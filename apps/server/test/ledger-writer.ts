import { writeSync } from 'node:fs'
import { openStore } from '../src/store/store.ts'
import { usageRow } from './usage-row.ts'

/** Settles rows without end, and writes one byte to standard output for each that is settled. */
const { ledger } = openStore(process.argv[2] ?? '', () => {})

for (let turn = 0; ; turn += 1) {
  const rows = Array.from({ length: 20 }, (_, index) => usageRow({ requestId: `req_${turn}_${index}` }))
  await Promise.all(rows.map((row) => ledger.settle(row)))
  writeSync(1, '.'.repeat(rows.length))
}

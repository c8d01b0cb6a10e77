import { writeSync } from 'node:fs'
import { openJournal } from '../../src/journal/journal.ts'
import { end } from './row.ts'

/** Appends rows without end, and writes a byte to standard output for each that is there; the id of its life before. */
const journal = openJournal({ dataDir: process.argv[2] ?? '', onProblem: () => {} })
writeSync(1, `${journal.run}\n`)

for (let turn = 0; ; turn += 1) {
  const rows = Array.from({ length: 20 }, (_, index) => end(`${turn}_${index}`))
  await Promise.all(rows.map((row) => journal.append(row)))
  writeSync(1, '.'.repeat(rows.length))
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { boardJson } from './grafana/board.ts'
import { BOARDS } from './grafana/boards.ts'

/** `pnpm generate-boards`: writes the dashboards of Grafana in `deploy/grafana` from `tools/grafana/boards.ts`. */
const folder = resolve(import.meta.dirname, '..', 'deploy/grafana')
for (const board of BOARDS) {
  const path = join(folder, `${board.uid}.json`)
  const written = boardJson(board)
  let before = ''
  try {
    before = readFileSync(path, 'utf8')
  } catch {
    // The board is new.
  }
  if (before === written) continue
  writeFileSync(path, written)
  console.log(path)
}

import { argv } from 'node:process'
import { local } from '../src/index.ts'

// Indexes a folder as a process of its own and writes a line of how far it is for each progress, then `end`.
const [path = '', dataDir = ''] = argv.slice(2)
const backend = local({ path, watch: false })
backend.start?.({ dataDir, onWarning: (message) => process.stderr.write(`${message}\n`) })
const signal = new AbortController().signal
const report = await backend.index?.({
  signal,
  onProgress: ({ done, total }) => process.stdout.write(`${done} ${total}\n`),
})
process.stdout.write(`end ${report?.documents}\n`)
await backend.close?.()

#!/usr/bin/env node
import { runCommandLine } from './commands/line.ts'

// Whoever reads the output may leave before its end, as in `headgate keys list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const code = await runCommandLine({
  args: process.argv.slice(2),
  folder: process.cwd(),
  environment: process.env,
  print: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
})
process.exitCode = code

import { runCommandLine } from './commands/line.ts'
import { loadDotenv } from './config/dotenv.ts'
import { printable } from './printable.ts'

// A reader of the output can close the pipe early, as in `headgate keys list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const folder = process.cwd()
const dotenv = loadDotenv(folder)
if (dotenv?.refusal) process.stderr.write(printable(`headgate: ${dotenv.file} was not read: ${dotenv.refusal}.\n`))

const code = await runCommandLine({
  args: process.argv.slice(2),
  folder,
  environment: process.env,
  ...(dotenv && { dotenv }),
  print: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
})
process.exitCode = code

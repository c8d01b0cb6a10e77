import { createInterface } from 'node:readline'
import { create } from './create.ts'

const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stdout }) : undefined
// A queue of lines keeps input that is typed before it is requested.
const lines = terminal?.[Symbol.asyncIterator]()

process.exitCode = await create(process.argv.slice(2), {
  folder: process.cwd(),
  ask:
    lines &&
    (async (question) => {
      process.stdout.write(question)
      const { value, done } = await lines.next()
      if (done) throw new Error('\nNothing was written.')
      return value
    }),
  print: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text),
})
terminal?.close()

import { parseArgs } from 'node:util'

/** Stands for curl where documents are tested: a machine may have none. It knows what they use, and fails where the answer is a failure. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    request: { type: 'string', short: 'X' },
  },
})
const [url = ''] = positionals
const { header, data, request } = values
const headers = header.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
const answer = await fetch(url, { method: request ?? (data === undefined ? 'GET' : 'POST'), headers, body: data ?? null })
console.log(await answer.text())
if (!answer.ok) process.exitCode = 22

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/**
 * Stands for curl where documents are tested: a machine may have none. It knows what they use, and fails where the
 * answer is a failure.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    request: { type: 'string', short: 'X' },
    output: { type: 'string', short: 'o' },
    'write-out': { type: 'string', short: 'w' },
    cookie: { type: 'string', short: 'b' },
    'cookie-jar': { type: 'string', short: 'c' },
    silent: { type: 'boolean', short: 's' },
    fail: { type: 'boolean', short: 'f' },
  },
})
const [url = ''] = positionals
const { header, data, request, output, cookie, 'write-out': format, 'cookie-jar': jar } = values
const headers = header.map((line): [string, string] => [
  line.slice(0, line.indexOf(':')),
  line.slice(line.indexOf(':') + 1).trim(),
])
if (cookie !== undefined && existsSync(cookie)) headers.push(['cookie', readFileSync(cookie, 'utf8').trim()])
const answer = await fetch(url, {
  method: request ?? (data === undefined ? 'GET' : 'POST'),
  headers,
  body: data ?? null,
})
const [set] = answer.headers.getSetCookie()
if (jar !== undefined && set !== undefined) writeFileSync(jar, set.slice(0, set.indexOf(';')))
const text = await answer.text()
if (output === undefined) process.stdout.write(`${text}${text.endsWith('\n') ? '' : '\n'}`)
else writeFileSync(output, text)
if (format !== undefined)
  process.stdout.write(format.replace('%{http_code}', String(answer.status)).replace('\\n', '\n'))
// As curl has it: of one that only tells what came, a failure is none.
else if (!answer.ok) process.exitCode = 22

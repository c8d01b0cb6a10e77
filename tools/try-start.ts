import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * First start of an installed program, on any platform: `node tools/try-start.ts <path of cli.js>`. Starts it in an
 * empty folder, calls the demo model with the printed key, loads the dashboard and stops the program. Exits with 1 and
 * the output of the program if a step fails, or after a minute. Imports nothing, so that it needs no installed
 * packages.
 */
const [program] = process.argv.slice(2)
if (program === undefined) throw new Error('usage: node tools/try-start.ts <path of cli.js>')
const LIMIT_MS = 60_000

const folder = mkdtempSync(join(tmpdir(), 'headgate-start-'))
const child = spawn(process.execPath, [resolve(program), '--port', '0'], { cwd: folder, stdio: 'pipe' })
const exited = once(child, 'exit')
let output = ''
try {
  await withinLimit(firstStart(child))
  child.kill()
  const [code] = await withinLimit(exited)
  // Windows ends a process without a signal handler.
  if (code !== 0 && process.platform !== 'win32') throw new Error(`The program exited with ${code}.`)
  console.log(`The program starts, serves and stops on ${process.platform} ${process.arch}, Node ${process.version}.`)
} catch (error) {
  console.error(error, `\n${output}`)
  process.exitCode = 1
} finally {
  child.kill('SIGKILL')
  await exited
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function firstStart({ stdout, stderr }: ChildProcess): Promise<void> {
  const started = Promise.withResolvers<readonly [url: string, key: string]>()
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const [url, key] = [/listening +(http\S+)/.exec(output)?.[1], /hg_p_\w{36}/.exec(output)?.[0]]
      if (url !== undefined && key !== undefined) started.resolve([url, key])
    })
  exited.then(() => started.reject(new Error('The program exited before it listened.')))
  const [url, key] = await started.promise

  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Say hello.' }] })
  const chat = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
  const text = await chat.text()
  if (chat.status !== 200) throw new Error(`The demo model responded with ${chat.status}: ${text}`)
  const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } })
  if (!/<!doctype html/i.test(await page.text())) throw new Error(`The dashboard responded with ${page.status}.`)
}

async function withinLimit<T>(work: Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  const late = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error(`Nothing happened within ${LIMIT_MS / 1000} s.`))),
  )
  return Promise.race([work, late])
}

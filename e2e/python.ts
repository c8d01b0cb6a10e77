import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { googleVectors, openaiVectors, vectorOf } from '../apps/server/test/sdk/embedding-vendors.ts'
import { startUpstream } from '../packages/conformance/src/upstream.ts'
import { API_KEY, type Server, startServer } from './server.ts'

const execute = promisify(execFile)
const MOST_MS = 60_000

const { HEADGATE_PYTHON } = process.env

/** With its packages: that of a virtual environment, or the one of the machine. */
const PYTHON = HEADGATE_PYTHON || 'python3'

/** Scripts in `python`, which print the vectors of the texts that they are given a line at a time, and what they import. */
const SCRIPTS = [
  { script: 'openai_embeddings.py', module: 'openai', package: 'openai' },
  { script: 'langchain_embeddings.py', module: 'langchain_openai', package: 'langchain-openai' },
] as const

const TEXTS = ['one', 'three', 'eleven']

const PROVIDERS = [
  { name: 'openai', base: '/v1', model: 'text-embedding-3-small', answers: openaiVectors },
  { name: 'google', base: '', model: 'gemini-embedding-001', answers: googleVectors },
] as const

/** The version of a module; undefined where it is not on this machine. */
async function versionOf(name: string): Promise<string | undefined> {
  const code = `import importlib.metadata, ${name}; print(importlib.metadata.version("${name.replaceAll('_', '-')}"))`
  return execute(PYTHON, ['-c', code], { timeout: MOST_MS }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )
}

/** What is wrong with what a script makes of a model's vectors. */
async function problemsOf(script: string, server: Server, model: string): Promise<string[]> {
  const environment = {
    PATH: process.env['PATH'],
    HEADGATE_URL: server.url,
    HEADGATE_API_KEY: API_KEY,
    MODEL: model,
    TEXTS: JSON.stringify(TEXTS),
    LANGSMITH_TRACING: 'false',
  }
  const { stdout } = await execute(PYTHON, [join(import.meta.dirname, 'python', script)], { env: environment, timeout: MOST_MS })
  const due = JSON.stringify(TEXTS.map(vectorOf))
  const lines = stdout.trim().split('\n')
  return lines.filter((line) => JSON.stringify(JSON.parse(line)) !== due).map((line) => `other vectors: ${line.slice(0, 200)}`)
}

/** Python's clients embed through the built program. Resolves with how many failed; what is not on this machine is said and left out. */
export async function runPython(): Promise<number> {
  let failed = 0
  const folder = mkdtempSync(join(tmpdir(), 'headgate-python-'))
  const upstreams = await Promise.all(PROVIDERS.map(startUpstream))
  const configured = PROVIDERS.map(({ name, base, answers }, index) => {
    upstreams[index]?.answer(answers)
    return [name, { apiKey: 'key-of-the-provider', baseUrl: `${upstreams[index]?.origin}${base}` }] as const
  })
  const server = await startServer(folder, Object.fromEntries(configured))
  for (const { script, module, package: name } of SCRIPTS) {
    const version = await versionOf(module)
    if (version === undefined)
      console.log(`left out  ${name}: ${PYTHON} does not have it (pip install ${name}, HEADGATE_PYTHON names another)`)
    for (const { name: provider, model } of version === undefined ? [] : PROVIDERS) {
      const problems = await problemsOf(script, server, model).catch((error: unknown) => [String(error)])
      console.log(`${problems.length === 0 ? 'passed' : 'FAILED'}  ${name} ${version} of Python embeds with a model of ${provider}`)
      for (const problem of problems) console.log(`        ${problem}`)
      if (problems.length > 0) failed++
    }
  }
  await server.stop()
  await Promise.all(upstreams.map((upstream) => upstream.close()))
  rmSync(folder, { recursive: true, force: true })
  return failed
}

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RequestMeaning } from '../packages/conformance/src/meaning.ts'
import { type Script, scripted } from '../packages/conformance/src/script.ts'
import { startUpstream } from '../packages/conformance/src/upstream.ts'
import type { Agent } from './agent.ts'
import { type Ended, runAgent } from './process.ts'
import { API_KEY, startServer } from './server.ts'

const PROMPT = 'Read question.txt, then write the number that it names into answer.txt.'
const DONE = 'The number is in answer.txt now.'

/** Thoughts before each call, and their proofs in standard base64. */
const THOUGHTS = ['First the file.', 'Now the answer.'].map((text) => ({
  text,
  signature: Buffer.from(`proof of ${text}`).toString('base64'),
}))

/**
 * Lets an agent read a file and write another through the gateway, with a model that follows a script: it asks for the one,
 * takes what to write from its contents, and says that it is done. Resolves with what went wrong.
 */
export async function runTask(agent: Agent): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-e2e-'))
  const project = folderIn(folder, 'project')
  const number = randomUUID()
  writeFileSync(join(project, 'question.txt'), `The number is ${number}.\n`)

  const { name, format, base, model } = agent.provider
  const script = scriptOf(agent, project)
  const asked: RequestMeaning[] = []
  const upstream = await startUpstream()
  upstream.answer(
    scripted((request) => {
      asked.push(request)
      return script(request)
    }, format),
  )
  const providers = { [name]: { apiKey: 'key-of-the-provider', baseUrl: `${upstream.origin}${base}` } }
  const server = await startServer(folderIn(folder, 'gateway'), providers)
  try {
    const task = { prompt: PROMPT, url: server.url, apiKey: API_KEY, model }
    const ended = await runAgent(agent, task, { project, home: folderIn(folder, 'home') })
    return [...endProblems(ended), ...fileProblems(join(project, 'answer.txt'), number), ...requestProblems(agent, asked, number)]
  } finally {
    await server.stop()
    await upstream.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** What the model says. What offers no tools is no part of the task: agents ask for titles and the like. */
function scriptOf(agent: Agent, project: string): Script {
  return ({ said, tools = [] }) => {
    if (tools.length === 0) return { text: 'Copying a number' }
    const [content, written] = said.flatMap((one) => ('result' in one ? [one.result] : []))
    const [first, second] = THOUGHTS
    if (content === undefined) {
      const given = { file_path: join(project, 'question.txt') }
      return { ...(first && { thought: first }), text: 'Let me look.', call: { id: 'call_of_reading', name: agent.read, arguments: given } }
    }
    if (written === undefined) {
      const given = { file_path: join(project, 'answer.txt'), content: /The number is (\S+)\./.exec(content)?.[1] ?? '' }
      return { ...(second && { thought: second }), call: { id: 'call_of_writing', name: agent.write, arguments: given } }
    }
    return { text: DONE }
  }
}

function endProblems({ code, stdout, stderr }: Ended): string[] {
  if (code !== 0) return [`it ended with ${code}: ${`${stdout}${stderr}`.trim().slice(-2000)}`]
  const last = stdout.trim().split('\n').at(-1)
  return last === DONE ? [] : [`it printed ${JSON.stringify(stdout)}, which does not end with ${JSON.stringify(DONE)}`]
}

function fileProblems(path: string, due: string): string[] {
  if (!existsSync(path)) return ['it did not write answer.txt']
  const found = readFileSync(path, 'utf8').trim()
  return found === due ? [] : [`answer.txt holds ${JSON.stringify(found)}, and not ${JSON.stringify(due)}`]
}

/** What the last request lacks: both calls, their results in order, and, where the vendor signs, the proofs of its thoughts. */
function requestProblems({ provider }: Agent, asked: readonly RequestMeaning[], number: string): string[] {
  const said = asked.findLast((one) => one.said.some((each) => 'result' in each))?.said ?? []
  if (process.env['HEADGATE_E2E_SHOW']) console.log(JSON.stringify(said, null, 1).slice(-4000))
  const results = said.flatMap((one) => ('result' in one ? [one] : []))
  const signatures = said.flatMap((one) => ('reasoning' in one && one.signature ? [one.signature] : []))
  const proofs = provider.format === 'messages' ? THOUGHTS.map(({ signature }) => signature) : []
  return [
    ...(results.map(({ of }) => of).join() === '0,1'
      ? []
      : [`the results that arrived are of the calls ${results.map(({ of }) => of).join()}`]),
    ...(results[0]?.result.includes(number) ? [] : ['what was read did not arrive']),
    ...(signatures.join() === proofs.join() ? [] : [`the signatures that came back are ${signatures.join()}, and not ${proofs.join()}`]),
  ]
}

function folderIn(folder: string, name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

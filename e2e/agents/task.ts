import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ExpectedPart, KitFormat, RequestMeaning } from '../../packages/conformance/src/families/chat/meaning.ts'
import { type Script, scripted } from '../../packages/conformance/src/families/chat/script.ts'
import { startUpstream } from '../../packages/conformance/src/upstream.ts'
import type { Provider } from '../provider.ts'
import { API_KEY, startServer } from '../server.ts'
import type { Agent, Tools, Words } from './agent.ts'
import { type Ended, runAgent } from './process.ts'

const QUESTION = 'question.txt'
const ANSWER = 'answer.txt'
const PROMPT = `Read ${QUESTION}, then write the number that it names into ${ANSWER}.`
const DONE = 'The number is in answer.txt now.'

/** Reasoning before each call, with signatures in standard base64. */
const THOUGHTS = ['First the file.', 'Now the answer.'].map((text) => ({
  text,
  signature: Buffer.from(`proof of ${text}`).toString('base64'),
}))

/**
 * Runs an agent that reads a file and writes another through the gateway. A scripted model calls the read tool, takes
 * the content to write from its result, and then reports completion. Resolves with the problems.
 */
export async function runTask(agent: Agent, provider: Provider): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-e2e-'))
  const project = folderIn(folder, 'project')
  const number = randomUUID()
  writeFileSync(join(project, QUESTION), `The number is ${number}.\n`)

  const asked: RequestMeaning[] = []
  const upstream = await startUpstream()
  try {
    const { name, format, base, model, settings } = provider
    const script = 'say' in agent.works ? wordScript(agent.works) : toolScript(agent.works, project)
    upstream.answer(
      scripted((request) => {
        asked.push(request)
        return script(request)
      }, format),
    )
    const providers = { [name]: { apiKey: 'key-of-the-provider', baseUrl: `${upstream.origin}${base}`, ...settings } }
    const server = await startServer(folderIn(folder, 'gateway'), providers)
    try {
      const task = { prompt: PROMPT, question: QUESTION, answer: ANSWER, url: server.url, apiKey: API_KEY, model }
      const ended = await runAgent(agent, task, { project, home: folderIn(folder, 'home') })
      return [
        ...endProblems(agent, ended, DONE),
        ...fileProblems(join(project, ANSWER), number),
        ...('say' in agent.works ? [] : requestProblems(agent, agent.works, provider, asked, number)),
      ]
    } finally {
      await server.stop()
    }
  } finally {
    await upstream.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Script of the model. Requests without tools are not part of the task: agents ask for titles, for example. */
function toolScript({ read, write }: Tools, project: string): Script {
  return ({ said, tools = [] }) => {
    if (tools.length === 0) return { text: 'Copying a number' }
    const [content, written] = said.flatMap((one) => ('result' in one ? [one.result] : []))
    const [first, second] = THOUGHTS
    const offered = tools.map(({ name }) => name)
    if (content === undefined) {
      const call = { id: 'call_of_reading', ...read(join(project, QUESTION)) }
      return { ...(first && { thought: first }), text: 'Let me look.', call }
    }
    if (written === undefined) {
      const call = { id: 'call_of_writing', ...write(join(project, ANSWER), numberIn(content), offered) }
      return { ...(second && { thought: second }), call }
    }
    return { text: DONE }
  }
}

/** Script of a model without tools: it writes the file with the number from the agent's message. */
function wordScript({ say }: Words): Script {
  return ({ said }) => ({ text: say(ANSWER, numberIn(said.map((one) => ('text' in one ? one.text : '')).join('\n'))) })
}

function numberIn(text: string): string {
  return /The number is (\S+)\./.exec(text)?.[1] ?? ''
}

/** Problems at the end of a run. `due` is the expected last output of an agent with tools. */
export function endProblems({ works }: Agent, { code, stdout, stderr }: Ended, due: string): string[] {
  if (code !== 0) return [`it exited with ${code}: ${`${stdout}${stderr}`.trim().slice(-2000)}`]
  if ('say' in works) return []
  const last = stdout.trim().split('\n').at(-1)
  return last === due ? [] : [`it printed ${JSON.stringify(stdout)}, which does not end with ${JSON.stringify(due)}`]
}

function fileProblems(path: string, due: string): string[] {
  if (!existsSync(path)) return ['it did not write answer.txt']
  const found = readFileSync(path, 'utf8').trim()
  return found === due ? [] : [`answer.txt holds ${JSON.stringify(found)}, and not ${JSON.stringify(due)}`]
}

/**
 * Problems of the last request: it must contain the results of both calls, in order, and the reasoning and signatures
 * that the vendor requires.
 */
function requestProblems(
  { dropsSignatures = [] }: Agent,
  tools: Tools,
  { format }: Provider,
  asked: readonly RequestMeaning[],
  number: string,
): string[] {
  const said = asked.findLast((one) => one.said.some((each) => 'result' in each))?.said ?? []
  const results = said.flatMap((one) => ('result' in one ? [one] : []))
  const answered = results.map(({ of }) => of)
  const proofs = said.flatMap((one) => proofOf(one))
  const due = dropsSignatures.includes(format) ? [] : dueProofs(tools, format)
  return [
    ...(isDeepStrictEqual(answered, [0, 1]) ? [] : [`the request has results of the calls ${answered.join()}`]),
    ...(results[0]?.result.includes(number) ? [] : ['the request lacks the content of the file']),
    ...(isDeepStrictEqual(proofs, due)
      ? []
      : [`the request has the signatures ${JSON.stringify(proofs)}, and not ${JSON.stringify(due)}`]),
  ]
}

/** Signature, with the reasoning or call that it proves. */
type Proof = { readonly thought?: string; readonly call?: string; readonly signature: string }

/**
 * Expected signatures. Anthropic and OpenAI sign reasoning, Google signs calls, and chat completions has no signatures.
 */
function dueProofs({ read, write }: Tools, format: KitFormat): Proof[] {
  const calls = [read('').name, write('', '').name]
  if (format === 'messages' || format === 'responses')
    return THOUGHTS.map(({ text, signature }) => ({ thought: text, signature }))
  return format === 'generate-content'
    ? THOUGHTS.map(({ signature }, index) => ({ call: calls[index] ?? '', signature }))
    : []
}

function proofOf(said: ExpectedPart): Proof[] {
  if ('reasoning' in said)
    return said.signature === undefined ? [] : [{ thought: said.reasoning, signature: said.signature }]
  if ('call' in said && said.call.signature !== undefined)
    return [{ call: said.call.name, signature: said.call.signature }]
  return []
}

export function folderIn(folder: string, name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

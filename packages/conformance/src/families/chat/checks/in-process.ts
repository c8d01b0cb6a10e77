import type { ChatRequest, Part } from '@headgate/core/codec'
import type { ChatInProcess } from '@headgate/core/provider'
import { type Check, distinct, within } from '../../../checks/check.ts'
import { testCall } from '../../../test-call.ts'
import { answerDifferences } from '../compare.ts'
import type { ReadAnswer } from '../meaning.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { InProcessChatTarget } from '../target.ts'
import type { Wire } from '../wire/index.ts'

const PATIENCE_MS = 15_000

/** Scenario for callers of one format. The content of the answer is the provider's; its form is checked. */
export function ownAnswerCheck(scenario: Scenario, wire: Wire): Check<InProcessChatTarget> {
  return {
    name: `answers "${scenario.name}" to callers of ${wire.id}, the same streamed and whole`,
    async run(target) {
      const whole = await answer(target, scenario, wire, false)
      const streamed = await answer(target, scenario, wire, true)
      if (typeof whole === 'string') return [whole]
      if (typeof streamed === 'string') return [streamed]
      const differences = answerDifferences(whole.meaning, streamed.meaning)
      return distinct([
        ...[...whole.problems, ...streamed.problems].map(
          (problem) => `Callers of ${wire.id} get a wrong response to "${scenario.name}": ${problem}.`,
        ),
        ...differences.map(
          (difference) =>
            `Streamed, ${difference.replace('the upstream sent', 'the whole response has')}: the same request must get the same response.`,
        ),
        ...(whole.meaning.usage ? [] : ['The response has no usage: send a `usage` part.']),
      ])
    },
  }
}

async function answer(
  { harness, model }: InProcessChatTarget,
  scenario: Scenario,
  wire: Wire,
  stream: boolean,
): Promise<ReadAnswer | string> {
  const got = await harness.ask({
    path: wire.path(model, stream),
    body: wire.body(scenario.requests[wire.id], model, stream),
  })
  if (got.status !== 200)
    return `Callers of ${wire.id} get status ${got.status} for "${scenario.name}": ${wire.readError(got.body) ?? got.text.slice(0, 200)}`
  return stream ? wire.readStream(got.text) : wire.readAnswer(got.body)
}

/** Checks of the canonical stream. */
export const partsCheck: Check<InProcessChatTarget> = {
  name: 'sends parts in a valid order',
  async run({ harness, model }) {
    const parts: Part[] = []
    const signal = new AbortController().signal
    for await (const part of inProcess(harness.provider.chat).run(
      request(model),
      signal,
      testCall({ model, stream: true }),
    ))
      parts.push(part)
    return grammarProblems(parts)
  },
}

/** Caller that disconnects: `run` receives an aborted signal. */
export const ownAbortCheck: Check<InProcessChatTarget> = {
  name: 'stops when the caller disconnects',
  async run({ harness, model }) {
    const caller = new AbortController()
    const parts = inProcess(harness.provider.chat)
      .run(request(model), caller.signal, testCall({ model, stream: true }))
      [Symbol.asyncIterator]()
    await parts.next()
    caller.abort()
    const rest = await within(PATIENCE_MS, drain(parts))
    if (rest === undefined) return ['`run` never ends after its signal aborts: listen to the signal wherever it waits.']
    return rest.some(({ type }) => type === 'finish')
      ? [
          '`run` completes its answer after its signal aborts, although no one reads it: check the signal between parts.',
        ]
      : []
  },
}

async function drain(parts: AsyncIterator<Part>): Promise<Part[]> {
  const rest: Part[] = []
  try {
    for (let next = await parts.next(); !next.done; next = await parts.next()) rest.push(next.value)
  } catch {
    // Throwing is a valid way to stop.
  }
  return rest
}

function inProcess(chat: readonly object[] = []): ChatInProcess {
  const support = chat.find((one): one is ChatInProcess => 'run' in one)
  if (!support) throw new TypeError('The provider has neither a `baseUrl` nor a chat family that runs in-process.')
  return support
}

function request(model: string): ChatRequest {
  const blocks = [{ type: 'text' as const, text: 'Explain in a few paragraphs what a gateway is.' }]
  return { model, messages: [{ role: 'user', blocks }], stream: true, streamUsage: true, paths: {} }
}

/** Violations of the rules of `Part` in a stream. */
export function grammarProblems(parts: readonly Part[]): string[] {
  const problems: string[] = []
  const open = new Set<string>()
  const seen = new Set<string>()
  for (const part of parts) {
    if (part.type === 'block-start') {
      const key = `${part.choice ?? 0}/${part.index}`
      if (seen.has(key)) problems.push(`Block ${part.index} starts twice: increment the index.`)
      seen.add(key)
      open.add(key)
    }
    if ((part.type === 'block-delta' || part.type === 'block-end') && !open.has(`${part.choice ?? 0}/${part.index}`)) {
      problems.push(`A ${part.type} is of block ${part.index}, which is not open.`)
    }
    if (part.type === 'block-end') open.delete(`${part.choice ?? 0}/${part.index}`)
  }
  const starts = parts.filter(({ type }) => type === 'start').length
  const finished = parts.flatMap((part) => (part.type === 'finish' ? [part.choice ?? 0] : []))
  return [
    ...distinct(problems),
    ...(starts === 1 && parts[0]?.type === 'start' ? [] : ['The stream must begin with exactly one `start`.']),
    ...(finished.length > 0 && new Set(finished).size === finished.length
      ? []
      : ['Each choice must have exactly one `finish`.']),
    ...(open.size === 0 ? [] : ['A block has no end.']),
    ...(parts.some(({ type }) => type === 'usage') ? [] : ['There is no `usage`.']),
  ]
}

import {
  type AnswerMeaning,
  answerDifferences,
  CALLER_KEY,
  FORMATS,
  type KitFormat,
  type LoopbackUpstream,
  SHORT_QUESTIONS,
  startUpstream,
  wires,
} from '@headgate/conformance'
import { createGateway, type Gateway } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bedrock } from '../src/index.ts'
import {
  bytesOf,
  converseMeaning,
  converseStreamMeaning,
  eventsOf,
  folder,
  type Loose,
  type Recording,
  readRecordings,
} from './recordings.ts'

if (folder === undefined)
  process.stderr.write('Recorded answers of Bedrock are left out: HEADGATE_RECORDINGS names no folder.\n')

/** An application's profile of whatever model: it is asked by Converse. */
const PROFILE = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2'
const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

/** Traffic of the real service. Nothing of it is in the repository, nor in what these tests say: ids only. */
describe.runIf(folder !== undefined)('Recorded answers of Bedrock', { tags: ['full'] }, () => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = createGateway({
      providers: [bedrock({ region: 'us-east-1', apiKey: 'k', baseUrl: upstream.origin })],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

  const recordings = readRecordings()
  const of = (family: string, isGood = true) =>
    recordings.filter((one) => one.family === family && (one.responseStatus === 200) === isGood)

  async function ask(
    caller: KitFormat,
    model: string,
    recording: Recording,
  ): Promise<{ status: number; body: string }> {
    const { stream, responseBody, responseStatus: status } = recording
    if (stream)
      upstream.answer({
        kind: 'stream',
        pieces: [bytesOf(recording)],
        headers: { 'content-type': 'application/vnd.amazon.eventstream' },
      })
    else upstream.answer({ kind: 'whole', status, body: responseBody, headers: { 'content-type': 'application/json' } })
    const wire = wires[caller]
    const body = JSON.stringify(wire.body(SHORT_QUESTIONS[caller], model, stream))
    const headers = { authorization: `Bearer ${CALLER_KEY}`, 'content-type': 'application/json', vendor: 'bedrock' }
    const answer = await gateway.fetch(
      new Request(`http://localhost${wire.path(encodeURIComponent(model), stream)}`, { method: 'POST', body, headers }),
    )
    return { status: answer.status, body: await answer.text() }
  }

  async function differences(
    caller: KitFormat,
    model: string,
    recording: Recording,
    due: AnswerMeaning,
  ): Promise<string[]> {
    const { status, body } = await ask(caller, model, recording)
    if (status !== 200) return [`status is ${status}`]
    const wire = wires[caller]
    const { meaning, problems, error } = recording.stream ? wire.readStream(body) : wire.readAnswer(JSON.parse(body))
    const found = answerDifferences(plain(due), plain(meaning), due.usage !== undefined)
    return [
      ...found.map((one) => one.split(/[:"]/)[0] ?? ''),
      ...problems,
      ...(error === undefined ? [] : ['it ended in an error']),
    ]
  }

  async function check(
    all: readonly Recording[],
    caller: KitFormat,
    model: string,
    meaning: (recording: Recording) => AnswerMeaning,
  ): Promise<void> {
    const problems: string[] = []
    for (const recording of all) {
      const found = await differences(caller, model, recording, meaning(recording))
      if (found.length > 0) problems.push(`${recording.id}: ${found.join('; ')}`)
    }
    expect(all.length).toBeGreaterThan(0)
    expect(problems).toEqual([])
  }

  it.each(FORMATS)('of Converse say the same in %s', async (caller) => {
    await check(of('bedrock-converse'), caller, PROFILE, (recording) =>
      recording.stream
        ? converseStreamMeaning(eventsOf(recording))
        : converseMeaning(JSON.parse(recording.responseBody) as Loose),
    )
  })

  it.each(FORMATS)('of Claude, through invoke, say the same in %s', async (caller) => {
    const all = of('bedrock-invoke').filter(isOfClaude)
    await check(all, caller, CLAUDE, (recording) => {
      if (!recording.stream) return wires.messages.readAnswer(JSON.parse(recording.responseBody)).meaning
      return wires.messages.readStream(events(recording)).meaning
    })
  })

  it.each(FORMATS)('that are errors are errors of %s', async (caller) => {
    const problems: string[] = []
    for (const recording of of('bedrock-converse', false)) {
      const { status, body } = await ask(caller, PROFILE, recording)
      if (status < 400 || wires[caller].readError(JSON.parse(body)) === undefined)
        problems.push(`${recording.id}: ${status}`)
    }
    expect(problems).toEqual([])
  })
})

/** Other models' own bodies are asked for by Converse, and vectors are no chat. */
function isOfClaude(recording: Recording): boolean {
  if (recording.stream) return events(recording).includes('event: message_start')
  return (JSON.parse(recording.responseBody) as Loose)['type'] === ('message' as unknown)
}

/** Claude's own events in the chunks of a stream, as messages has them. */
function events(recording: Recording): string {
  return eventsOf(recording)
    .map(({ data }) => Buffer.from(String(data['bytes'] ?? ''), 'base64').toString('utf8'))
    .filter((json) => json !== '')
    .map((json) => `event: ${String((JSON.parse(json) as Loose)['type'])}\ndata: ${json}\n\n`)
    .join('')
}

/** No tokens of the cache are as good as none that are told. */
function plain(meaning: AnswerMeaning): AnswerMeaning {
  const { usage } = meaning
  return usage?.cacheRead === 0 ? { ...meaning, usage: { input: usage.input, output: usage.output } } : meaning
}

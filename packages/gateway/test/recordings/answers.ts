import { expect, it } from 'vitest'
import { isObject, type Json } from '../../../core/src/canonical/json.ts'
import { formats } from '../../../core/src/formats/index.ts'
import { ANSWER_RULES } from '../../../core/test/recordings/answer-rules.ts'
import { indexed } from '../../../core/test/recordings/carried.ts'
import { CUTS, type Cut, cut, share } from '../../../core/test/recordings/cuts.ts'
import { valuesOf } from '../../../core/test/recordings/events.ts'
import { isException } from '../../../core/test/recordings/exceptions.ts'
import { pick } from '../../../core/test/recordings/hash.ts'
import type { Meaning } from '../../../core/test/recordings/meaning.ts'
import { differences, meaningOf, within } from '../../../core/test/recordings/readers.ts'
import { FORMATS, type FormatId, type Recording, typeOf } from '../../../core/test/recordings/recordings.ts'
import { inventedLosses, silentInFrames, silentLosses } from '../../../core/test/recordings/silent.ts'
import { STREAM_RULES } from '../../../core/test/recordings/stream-rules.ts'
import { smallRequest } from './ask.ts'
import type { Outcome } from './run.ts'
import { forEach, type Stage } from './stage.ts'

/** A stream is cut in every way there is, in some of them for one caller and in the others for the other. */
function cutsOf({ id, format, stream }: Recording, caller: FormatId): Cut[] {
  const callers = FORMATS.filter((other) => other !== format)
  return stream ? share(id, callers.indexOf(caller), callers.length) : [pick(CUTS, id)]
}

/** Places in a stream of what its losses call by Headgate's word. */
const PLACES: Readonly<Record<FormatId, Readonly<Record<string, readonly string[]>>>> = {
  'chat-completions': { media: ['audio'], citations: ['annotations'] },
  messages: {
    'hosted-call': ['content_block'],
    'hosted-result': ['content_block', 'delta.content'],
    citations: ['citation'],
  },
  'generate-content': {
    'hosted-call': ['executableCode', 'toolCall'],
    'hosted-result': ['codeExecutionResult', 'toolResponse'],
    media: ['inlineData'],
    citations: ['groundingMetadata', 'citationMetadata'],
    logprobs: ['logprobsResult'],
  },
  responses: {
    'hosted-call': ['item', 'response.output', 'code', 'command', 'output'],
    'hosted-result': ['item', 'response.output', 'delta.stdout', 'delta.stderr'],
    media: ['item', 'response.output', 'partial_image_b64'],
    'message.phase': ['phase'],
    'message.status': ['status'],
    citations: ['annotation', 'annotations'],
  },
}

function namesOf(format: FormatId, path: string): readonly string[] {
  const word = path.split('.').at(-1) ?? path
  const names = formats.get(format)?.fieldNames?.[word] ?? []
  return [...(PLACES[format][path] ?? []), ...names]
}

/** How paths of the answer begin in the usage row. */
const ANSWER = 'response.'

export function answersSayTheSame(all: readonly Recording[], stage: Stage): void {
  const recordings = all.filter((recording) => recording.status === 200)

  const meanings = new WeakMap<Recording, Meaning>()
  /** Read once, however often the answer is translated. */
  function recordedMeaning(recording: Recording): Meaning {
    const known = meanings.get(recording) ?? meaningOf(recording.format, recording.body, recording.stream)
    meanings.set(recording, known)
    return known
  }

  /** What differs when the answer comes to a caller of another format. */
  async function lost(recording: Recording, caller: FormatId, how: Cut): Promise<string[]> {
    const { id, format, stream, body } = recording
    const due = within(caller, format, recordedMeaning(recording))
    const outcome = await stage.run({
      from: caller,
      to: format,
      model: 'model',
      stream,
      body: smallRequest(caller, 'model', stream, due.choices.length),
      served: { status: 200, contentType: typeOf(recording), chunks: cut(Buffer.from(body), how, id) },
    })
    if (outcome.status !== 200) return [`status is ${outcome.status}`]
    const different = differences(due, within(caller, format, meaningOf(caller, outcome.body, stream)))
    return [
      ...different,
      ...(stream ? undeclaredInStream(recording, caller, outcome) : undeclared(recording, caller, outcome)),
    ]
  }

  /** What the frames of a stream say that neither came to the caller nor is declared. */
  function undeclaredInStream(recording: Recording, caller: FormatId, { body: got, row }: Outcome): string[] {
    const { format, body } = recording
    if (recordedMeaning(recording).failed) return []
    const losses = (row?.losses ?? []).flatMap(({ path }) =>
      path.startsWith(ANSWER) ? [path.slice(ANSWER.length)] : [],
    )
    const declared = losses.flatMap((path) => [path, ...namesOf(format, path)])
    const frames = valuesOf(body).filter((frame): frame is Json => isObject(frame) && !frame['error'])
    const sent = indexed(caller, { frames: valuesOf(got) })
    return silentInFrames(frames, sent, STREAM_RULES[format], declared)
  }

  /** What of a whole answer is lost and not declared, or declared and not lost. */
  function undeclared({ format, body }: Recording, caller: FormatId, outcome: Outcome): string[] {
    const answer = JSON.parse(body) as Json
    const losses = (outcome.row?.losses ?? [])
      .filter(({ path }) => path.startsWith(ANSWER))
      .map((loss) => ({ ...loss, path: loss.path.slice(ANSWER.length) }))
    const declared = losses.map(({ path }) => path)
    const sent = indexed(caller, JSON.parse(outcome.body) as Json)
    return [...silentLosses(answer, sent, ANSWER_RULES[format], declared), ...inventedLosses(answer, losses)]
  }

  const translations = FORMATS.flatMap((format) =>
    FORMATS.filter((caller) => caller !== format).map((caller) => ({ format, caller })),
  )

  it.each(translations)('of $format says the same in $caller', async ({ format, caller }) => {
    const problems: string[] = []
    const pairs = recordings
      .filter((recording) => recording.format === format)
      .flatMap((recording) => cutsOf(recording, caller).map((how) => ({ recording, how })))
    await forEach(pairs, async ({ recording, how }) => {
      const found = await lost(recording, caller, how).catch((error: unknown) => [
        `threw ${error instanceof Error ? error.name : typeof error}`,
      ])
      if (isException('answers', recording.id, caller) !== found.length > 0)
        problems.push(`${recording.id} cut ${how}: ${found.join('; ') || 'is no exception any more'}`)
    })
    expect(problems).toEqual([])
  })
}

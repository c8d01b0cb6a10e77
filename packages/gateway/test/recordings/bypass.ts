import { expect, it } from 'vitest'
import { isObject, type Json } from '../../../core/src/canonical/json.ts'
import { CUTS, type Cut, cut } from '../../../core/test/recordings/cuts.ts'
import { valuesOf } from '../../../core/test/recordings/events.ts'
import { isException } from '../../../core/test/recordings/exceptions.ts'
import { pick } from '../../../core/test/recordings/hash.ts'
import { meaningOf, ordered } from '../../../core/test/recordings/readers.ts'
import { FORMATS, type Recording, typeOf } from '../../../core/test/recordings/recordings.ts'
import { smallRequest } from './ask.ts'
import { forEach, type Stage } from './stage.ts'

/** The recorded request as text: spaced in one of several ways, with its stream flag as the answer has it. */
function requestOf({ id, format, stream, request, model }: Recording): string {
  if (!request) return smallRequest(format, model ?? 'model', stream)
  if (format === 'generate-content') return spaced(request, id)
  const isStream = request['stream'] === true
  return spaced({ ...request, model: request['model'] ?? 'model', ...(isStream !== stream && { stream }) }, id)
}

function spaced(body: Json, id: string): string {
  return JSON.stringify(body, null, pick(['', '  ', '\t'], id))
}

/** Whether a chat caller did not ask for the usage that a stream of it ends with. */
function isUsageHidden(request: Json, { format, stream }: Recording): boolean {
  const options = request['stream_options']
  return format === 'chat-completions' && stream && !(isObject(options) && options['include_usage'] === true)
}

/** The stream without the frame of usage that the caller did not ask for. */
function withoutUsage(body: string): string {
  return body
    .split(/(?<=\n\n)/)
    .filter(
      (frame) =>
        !/^data: ?\{.*"choices": ?\[\].*"usage": ?\{/s.test(frame) &&
        !/^data: ?\{.*"usage": ?\{.*"choices": ?\[\]/s.test(frame),
    )
    .join('')
}

/** Whether the upstream broke off without a word that a caller would know as an error. */
function isCut({ format, stream, body }: Recording): boolean {
  return (
    stream &&
    meaningOf(format, body, stream).failed &&
    !valuesOf(body).some((value) => isObject(value) && 'error' in value)
  )
}

/** Whether what came is what was due and then an error of ours. */
function goesOn(found: string, due: string): boolean {
  return found.startsWith(due) && valuesOf(found.slice(due.length)).some((value) => isObject(value) && 'error' in value)
}

export function sameFormatPasses(all: readonly Recording[], stage: Stage): void {
  const recordings = all.filter((recording) => recording.status === 200)

  async function changes(recording: Recording, how: Cut): Promise<string[]> {
    const { id, format, stream, body } = recording
    const request = requestOf(recording)
    const outcome = await stage.run({
      from: format,
      to: format,
      model: recording.model ?? 'model',
      stream,
      body: request,
      served: { status: 200, contentType: typeOf(recording), chunks: cut(Buffer.from(body), how, id) },
    })
    if (outcome.status !== 200) return [`status is ${outcome.status}`]
    const asked = JSON.parse(request) as Json
    const hidden = isUsageHidden(asked, recording)
    const due = hidden ? withoutUsage(body) : body
    const same = isCut(recording) ? goesOn(outcome.body, due) : outcome.body === due
    return [...(same ? [] : ['the answer differs']), ...sentDiffers(request, outcome.sent ?? '', hidden)]
  }

  function sentDiffers(request: string, sent: string, asks: boolean): string[] {
    if (!asks) return sent === request ? [] : ['the request differs']
    const asked = JSON.parse(request) as Json
    const options = isObject(asked['stream_options']) ? asked['stream_options'] : {}
    const due = { ...asked, stream_options: { ...options, include_usage: true } }
    return JSON.stringify(ordered(JSON.parse(sent))) === JSON.stringify(ordered(due))
      ? []
      : ['the request differs by more than usage']
  }

  it.each(FORMATS)('of %s passes byte by byte', async (format) => {
    const problems: string[] = []
    const pairs = recordings
      .filter((recording) => recording.format === format)
      .flatMap((recording) => (recording.stream ? CUTS : [pick(CUTS, recording.id)]).map((how) => ({ recording, how })))
    await forEach(pairs, async ({ recording, how }) => {
      const found = await changes(recording, how).catch((error: unknown) => [
        `threw ${error instanceof Error ? error.name : typeof error}`,
      ])
      if (isException('answers', recording.id, format) !== found.length > 0)
        problems.push(`${recording.id} cut ${how}: ${found.join('; ') || 'is no exception any more'}`)
    })
    expect(problems).toEqual([])
  })
}

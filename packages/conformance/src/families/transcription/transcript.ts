import { isDeepStrictEqual } from 'node:util'
import type { CallerResponse } from '../../caller.ts'
import { type Check, distinct } from '../../checks/check.ts'
import { envelopeProblems } from '../../checks/envelope.ts'
import { object, objects } from '../../json.ts'
import { FILE_TYPE, FILENAME, question, RECORDED_MS, RECORDING } from './recording.ts'
import type { TranscriptionTarget } from './target.ts'
import { LANGUAGE, SECONDS, SEGMENTS, TEXT, type TranscriptionVendor, transcriptionVendor, WORDS } from './vendor.ts'

type FormFields = readonly (readonly [name: string, value: string])[]

const VERBOSE: FormFields = [['response_format', 'verbose_json']]
const WITH_WORDS: FormFields = [
  ...VERBOSE,
  ['timestamp_granularities[]', 'word'],
  ['timestamp_granularities[]', 'segment'],
]

/** Asks for a transcript of a new vendor. */
export async function asked(
  { harness, transcription }: TranscriptionTarget,
  fields: FormFields = [],
  hasPause = false,
): Promise<{ got: CallerResponse; vendor: TranscriptionVendor }> {
  const vendor = transcriptionVendor(transcription, hasPause)
  harness.upstream.answer(vendor.answer)
  return { got: await harness.ask(question(transcription.model, fields)), vendor }
}

export function said(got: CallerResponse): string {
  return `status ${got.status}, ${got.text.slice(0, 200)}.`
}

/** Transport, checked before everything that uses it. */
export const transcriptReachCheck: Check<TranscriptionTarget> = {
  name: 'reaches its upstream with a recording',
  isGate: true,
  async run(target) {
    const { got, vendor } = await asked(target)
    if (target.harness.upstream.received.length === 0)
      return [
        `No transcription request reached the upstream: ${said(got)} Fix \`transcription.request\`, \`hosts\` and \`credential\` first.`,
      ]
    return vendor.refusals.map(
      (reason) =>
        `The vendor would reject this with a 400: ${reason}. Fix \`transcription.request\` first. (${said(got)})`,
    )
  },
}

export const fileCheck: Check<TranscriptionTarget> = {
  name: 'sends the recording unchanged, with its name and type',
  async run(target) {
    const { vendor } = await asked(target)
    const { receives = ['filename', 'type'] } = target.transcription
    const file = vendor.asked[0]?.file
    if (!file) return ['The vendor received no recording: fix `transcription.request`.']
    const due = { filename: FILENAME, type: FILE_TYPE }
    return distinct([
      ...(RECORDING.equals(file.bytes)
        ? []
        : [
            `The vendor received ${file.bytes.length} bytes that differ from the ${RECORDING.length} of the caller: send \`file.content\` unchanged.`,
          ]),
      ...receives
        .filter((name) => file[name] !== due[name])
        .map(
          (name) =>
            `The vendor received the file with ${name} ${JSON.stringify(file[name])}, expected ${JSON.stringify(due[name])}: vendors choose a decoder by it. Send \`file.name\` and \`file.type\`.`,
        ),
      ...target.harness.upstream.received.flatMap((request) => envelopeProblems(request, target.upstream)),
    ])
  },
}

export const transcriptCheck: Check<TranscriptionTarget> = {
  name: "returns the upstream's text and language, and records the length that it bills",
  async run(target) {
    const { harness, transcription } = target
    const { counts = 'milliseconds', pending, can } = transcription
    const findings: string[] = []
    const { got } = await asked(target, [], pending !== undefined)
    const text = object(got.body)['text']
    if (text !== TEXT)
      findings.push(
        `Callers get ${said(got)} The text must be ${JSON.stringify(TEXT)}: fix \`transcription.response\`.`,
      )
    const due = {
      milliseconds: Math.round(SECONDS * 1_000),
      seconds: Math.floor(SECONDS) * 1_000,
      nothing: RECORDED_MS,
    }[counts]
    const usage = harness.rows.at(-1)?.usage
    if (usage?.units?.['milliseconds'] !== due)
      findings.push(
        `The usage row has ${JSON.stringify(usage)}, but the upstream bills ${due} ms: return \`timeUsage(seconds)\` as \`usage\`, in seconds.`,
      )
    if ((can.times ?? 'none') === 'none') return findings
    const { got: verbose } = await asked(target, VERBOSE)
    const language = object(verbose.body)['language']
    if (language !== LANGUAGE.name)
      findings.push(
        `The language is ${JSON.stringify(language)}, expected ${JSON.stringify(LANGUAGE.name)}: \`language\` must be an ISO 639 code.`,
      )
    return findings
  },
}

export const timesCheck: Check<TranscriptionTarget> = {
  name: 'returns times in seconds, of words and segments as it declares',
  async run(target) {
    const { times = 'none' } = target.transcription.can
    if (times === 'none') return refused(await asked(target, [['response_format', 'srt']]), 'response_format=srt')
    const findings: string[] = []
    const { got: srt } = await asked(target, [['response_format', 'srt']])
    if (!srt.text.startsWith('1\n00:00:00,120 --> 00:00:02,017\nGuten Tag, Größe 狐?\n\n2\n'))
      findings.push(
        `Subtitles are ${JSON.stringify(srt.text.slice(0, 200))}: fix the times of \`segments\` or \`words\`.`,
      )
    const { got } = await asked(target, times === 'word' ? WITH_WORDS : VERBOSE)
    const body = object(got.body)
    const segments = objects(body['segments']).map(({ text, start, end }) => ({
      text: String(text).trim(),
      start,
      end,
    }))
    const dueSegments = SEGMENTS.map(({ text, start, end }) => ({ text, start, end }))
    if (!isDeepStrictEqual(segments, dueSegments))
      findings.push(`Segments are ${JSON.stringify(segments)}, expected ${JSON.stringify(dueSegments)}. (${said(got)})`)
    if (times !== 'word') return findings
    const words = objects(body['words']).map(({ word, start, end }) => ({ word, start, end }))
    const dueWords = WORDS.map(({ text: word, start, end }) => ({ word, start, end }))
    if (!isDeepStrictEqual(words, dueWords))
      findings.push(
        `Words are ${JSON.stringify(words)}, expected ${JSON.stringify(dueWords)}: leave out spaces and sounds, and convert milliseconds to seconds.`,
      )
    return findings
  },
}

export const speakersCheck: Check<TranscriptionTarget> = {
  name: 'asks for speakers and returns them, or rejects requests for speakers',
  async run(target) {
    const found = await asked(target, [['response_format', 'diarized_json']])
    if (!target.transcription.can.speakers) return refused(found, 'response_format=diarized_json')
    const { got, vendor } = found
    const speakers = objects(object(got.body)['segments']).map(({ speaker }) => speaker)
    return [
      ...(vendor.asked[0]?.speakers ? [] : ['The vendor was not asked for speakers: fix `transcription.request`.']),
      ...(isDeepStrictEqual(speakers, ['A', 'B'])
        ? []
        : [`The speakers of the segments are ${JSON.stringify(speakers)}, expected ["A","B"]. (${said(got)})`]),
    ]
  },
}

function refused({ got, vendor }: { got: CallerResponse; vendor: TranscriptionVendor }, what: string): string[] {
  return got.status === 400 && vendor.asked.length === 0
    ? []
    : [
        `The vendor cannot do ${what}, but callers get ${said(got)} Expected: 400 before a request is sent; fix \`can\`.`,
      ]
}

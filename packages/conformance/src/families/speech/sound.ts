import { SPEECH_FORMATS, type SpeechFormat, wavHeader } from '@headgate/core/provider'
import type { CallerResponse } from '../../caller.ts'
import { type Check, distinct } from '../../checks/check.ts'
import { envelopeProblems, lineProblems } from '../../checks/envelope.ts'
import { object, objects, parse, text } from '../../json.ts'
import type { SpeechFacts } from './facts.ts'
import type { SpeechTarget } from './target.ts'
import { countOf, pcm, soundOf, speechVendor, TYPES } from './vendor.ts'

/** Text beyond ASCII. */
const INPUT = 'Grüße, 短い 🦊 "quoted"\nand a line.'

/** Speech request of a caller. */
export function question({ model, voice, formats }: SpeechFacts, more: object = {}) {
  const body = { model, voice, input: INPUT, response_format: formats[0], ...more }
  return { path: '/v1/audio/speech', body }
}

export function said(got: CallerResponse): string {
  return `status ${got.status}${got.broken ? ', broken' : ''}, ${got.text.slice(0, 200)}.`
}

/** Transport, checked before everything that uses it. */
export const speechReachCheck: Check<SpeechTarget> = {
  name: 'reaches its upstream with a speech request',
  isGate: true,
  async run({ harness, speech }) {
    const vendor = speechVendor(speech)
    harness.upstream.answer(vendor.answer)
    const got = await harness.ask(question(speech))
    if (harness.upstream.received.length === 0)
      return [
        `No speech request reached the upstream: ${said(got)} Fix \`speech.request\`, \`can\`, \`hosts\` and \`credential\` first.`,
      ]
    return vendor.refusals.map(
      (reason) => `The vendor would reject this with a 400: ${reason}. Fix \`speech.request\` first. (${said(got)})`,
    )
  },
}

export const soundCheck: Check<SpeechTarget> = {
  name: 'speaks in each format of the vendor, byte for byte',
  async run({ harness, speech, upstream }) {
    const findings: string[] = []
    for (const format of speech.formats) {
      const vendor = speechVendor(speech)
      harness.upstream.answer(vendor.answer)
      const got = await harness.ask(question(speech, { response_format: format }))
      const [asked] = vendor.asked
      const { model, voice } = speech
      const path = speech.path.replace('{voice}', encodeURIComponent(voice))
      for (const request of harness.upstream.received)
        findings.push(
          ...lineProblems(request, [path], model, '`speech.request`'),
          ...envelopeProblems(request, upstream),
        )
      const isRead = asked?.input === INPUT && asked.voice === voice && asked.format === format && asked.model === model
      if (!isRead) findings.push(`The vendor read ${JSON.stringify(asked)}: fix \`speech.request\`.`)
      findings.push(...bytesProblems(got, soundOf(format), format))
    }
    return distinct(findings)
  },
}

function bytesProblems(got: CallerResponse, due: Buffer, format: SpeechFormat): string[] {
  if (got.status !== 200) return [`For ${format}, callers get ${said(got)}`]
  const type = got.headers['content-type']
  return [
    ...(got.bytes.equals(due) && !got.broken
      ? []
      : [
          `Callers get other bytes than the vendor's ${format}: fix \`speech.part\`, or \`formats\` in \`speech.can\`.`,
        ]),
    ...(type === TYPES[format] ? [] : [`The content type of ${format} is ${type}, expected ${TYPES[format]}.`]),
  ]
}

/** Formats that the gateway derives by adding or removing the header of a WAV file. */
export const derivedCheck: Check<SpeechTarget> = {
  name: 'gives wav of pcm, pcm of wav, and rejects formats that the vendor does not make',
  async run({ harness, speech }) {
    const findings: string[] = []
    const { formats, isWavPcm = false } = speech
    for (const format of SPEECH_FORMATS.filter((one) => !formats.includes(one))) {
      const vendor = speechVendor(speech)
      harness.upstream.answer(vendor.answer)
      const got = await harness.ask(question(speech, { response_format: format }))
      const isMade =
        (format === 'wav' && formats.includes('pcm')) || (format === 'pcm' && formats.includes('wav') && isWavPcm)
      if (isMade) findings.push(...derivedProblems(got, format))
      else if (got.status !== 400 || harness.upstream.received.length > 0)
        findings.push(
          `For ${format}, callers get ${said(got)} Expected: 400, since the vendor does not make it: fix \`formats\` or \`wavRate\` in \`speech.can\`.`,
        )
      else if (formats.some((one) => !got.text.includes(one)))
        findings.push(`The message about ${format} does not list all formats: fix \`formats\` in \`speech.can\`.`)
    }
    return distinct(findings)
  },
}

function derivedProblems(got: CallerResponse, format: SpeechFormat): string[] {
  if (format === 'pcm') return bytesProblems(got, pcm(), format)
  const heads = [wavHeader(), wavHeader(pcm().length)]
  const due = heads.map((head) => Buffer.concat([head, pcm()])).find((one) => one.equals(got.bytes))
  return bytesProblems(got, due ?? soundOf('wav'), format)
}

export const eventsCheck: Check<SpeechTarget> = {
  name: 'gives events with the same sound',
  async run({ harness, speech }) {
    const [format = 'mp3'] = speech.formats
    harness.upstream.answer(speechVendor(speech).answer)
    const got = await harness.ask(question(speech, { stream_format: 'sse' }))
    if (got.status !== 200) return [`With \`stream_format: sse\`, callers get ${said(got)}`]
    const events = objects(
      got.text.split('\n\n').map((frame) => parse(frame.replace(/^event:.*\n/, '').replace(/^data: ?/, ''))),
    )
    const sound = Buffer.concat(events.map(({ audio }) => Buffer.from(text(audio), 'base64')))
    const { usage } = events.at(-1) ?? {}
    const { tokens } = countOf(INPUT)
    const isCounted = speech.counts !== 'tokens' || object(usage)['output_tokens'] === tokens.output
    return [
      ...(sound.equals(soundOf(format)) ? [] : ["The events do not have the vendor's sound: fix `speech.part`."]),
      ...(events.at(-1)?.['type'] === 'speech.audio.done' ? [] : ['The last event is not `speech.audio.done`.']),
      ...(isCounted ? [] : ["`speech.audio.done` does not have the vendor's tokens: fix `usage` of `speech.part`."]),
    ]
  },
}

export const speechUsageCheck: Check<SpeechTarget> = {
  name: "records the upstream's usage of speech, or counts the characters",
  async run({ harness, speech }) {
    harness.upstream.answer(speechVendor(speech).answer)
    const got = await harness.ask(question(speech))
    const row = harness.rows.at(-1)
    const { characters, tokens } = countOf(INPUT)
    const units = row?.usage?.units?.['characters']
    const is = {
      characters: units === characters,
      tokens: row?.usage?.input === tokens.input && row.usage.output === tokens.output,
      nothing: units === [...INPUT].length && row?.estimated === true,
    }
    const { counts = 'nothing' } = speech
    return is[counts]
      ? []
      : [
          `The usage row has ${JSON.stringify(row?.usage)}, and the upstream counted ${counts === 'nothing' ? 'nothing' : JSON.stringify({ characters, tokens })}: fix \`usageOf\` or \`part\` of \`speech\`. (${said(got).slice(0, 80)})`,
        ]
  },
}

import { SPEECH_FORMATS, type SpeechFormat, wavHeader } from '@headgate/core/provider'
import { number, object, text } from '../../json.ts'
import type { Received, UpstreamReply } from '../../upstream.ts'
import type { SpeechAnswer, SpeechFacts, SpeechMeaning } from './facts.ts'

/** Media types of the formats. */
export const TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

/** Number of samples of the sound. */
const SAMPLES = 1_500
const STARTS: Readonly<Record<SpeechFormat, readonly number[]>> = {
  mp3: [0x49, 0x44, 0x33, 4, 0],
  opus: [0x4f, 0x67, 0x67, 0x53],
  aac: [0xff, 0xf1],
  flac: [0x66, 0x4c, 0x61, 0x43],
  wav: [],
  pcm: [],
}

/** Samples with all values of bytes, as `pcm`. */
export function pcm(): Buffer {
  const bytes = Buffer.alloc(SAMPLES * 2)
  for (let at = 0; at < SAMPLES; at++) bytes.writeInt16LE(Math.round(30_000 * Math.sin(at / 7)), at * 2)
  return bytes
}

/** Sound in a format. Only its beginning is real, except of wav and pcm. */
export function soundOf(format: SpeechFormat): Buffer {
  if (format === 'wav') return Buffer.concat([wavHeader(pcm().length), pcm()])
  return Buffer.concat([Buffer.from(STARTS[format]), pcm()])
}

/** Sound in pieces of different sizes, the first of which does not have the whole header of a WAV file. */
function piecesOf(sound: Buffer): Buffer[] {
  const cuts = [0, 20, 21, 50, 700, 1_701, sound.length]
  return cuts.slice(1).map((end, index) => sound.subarray(cuts[index], end))
}

/** Simulated vendor that answers each text with the same sound. */
export interface SpeechVendor {
  /** Responds according to its facts. */
  answer(request: Received): UpstreamReply
  /** Requests as it understood them, oldest first. */
  readonly asked: readonly SpeechMeaning[]
  readonly refusals: readonly string[]
  error(status: number, message: string): object
}

/** Units that the vendor bills. */
export function countOf(input: string): Pick<SpeechAnswer, 'characters' | 'tokens'> {
  const length = [...input].length
  return { characters: length + 3, tokens: { input: length + 1, output: 41 } }
}

/** @param change changes the sound that the vendor answers with */
export function speechVendor(
  facts: SpeechFacts,
  change: (pieces: Buffer[]) => Buffer[] = (same) => same,
): SpeechVendor {
  const { read = readShared, write = writeShared, error = (_, message) => ({ error: { message } }) } = facts
  const asked: SpeechMeaning[] = []
  const refusals: string[] = []
  const refuse = (reason: string): UpstreamReply => {
    refusals.push(reason)
    return { kind: 'whole', status: 400, body: error(400, reason) }
  }
  return {
    asked,
    refusals,
    error,
    answer(request) {
      try {
        const meaning = read(request)
        const problem = problemOf(meaning, facts)
        if (problem !== undefined) return refuse(problem)
        asked.push(meaning)
        const { format, input } = meaning
        return write({ pieces: change(piecesOf(soundOf(format))), format, ...countOf(input) }, request)
      } catch (problem) {
        return refuse(
          `\`read\` or \`write\` of the facts throws: ${problem instanceof Error ? problem.message : String(problem)}`,
        )
      }
    },
  }
}

function problemOf({ input, voice, format, speed }: SpeechMeaning, facts: SpeechFacts): string | undefined {
  const { formats, maxCharacters = Number.POSITIVE_INFINITY, speed: [least, most] = [1, 1] } = facts
  if (input === '') return 'the text is missing'
  if (voice === '') return 'the voice is missing'
  if (!formats.includes(format)) return `the format ${format} is unknown`
  if ([...input].length > maxCharacters) return 'the text is too long'
  if (facts.isClosed && ![facts.voice, facts.alloy].includes(voice)) return `the voice ${voice} is unknown`
  return speed !== undefined && (speed < least || speed > most) ? `the speed ${speed} is out of range` : undefined
}

/** @see https://platform.openai.com/docs/api-reference/audio/createSpeech */
function readShared({ body }: Received): SpeechMeaning {
  const { model, input, voice, response_format = 'mp3', speed, instructions, ...others } = object(body)
  const unknown = Object.keys(others)
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
  return {
    model: text(model),
    input: text(input),
    voice: text(voice),
    format: formatOf(response_format),
    speed: number(speed),
    instructions: instructions === undefined ? undefined : text(instructions),
  }
}

/** @throws for an unknown format */
export function formatOf(value: unknown): SpeechFormat {
  const found = SPEECH_FORMATS.find((one) => one === value)
  if (!found) throw new Error(`unknown format: ${String(value)}`)
  return found
}

function writeShared({ pieces, format }: SpeechAnswer): UpstreamReply {
  return { kind: 'stream', pieces, headers: { 'content-type': TYPES[format] } }
}

import { changed, type Loss } from '@headgate/core/canonical'
import type { SpeechAbilities, SpeechFormat } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'

const PCM_RATE = 24_000
/** Order of formats for callers that choose none. */
const PREFERRED: readonly SpeechFormat[] = ['mp3', 'opus', 'wav', 'pcm', 'aac', 'flac']

/** Media types of the formats. */
export const SPEECH_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

/** Format for the caller, and the format that the provider makes for it. */
export interface ChosenFormat {
  readonly format: SpeechFormat
  /** Differs from `format` if the gateway adds or removes the header of a WAV file. */
  readonly made: SpeechFormat
}

/** The format that a provider makes for a format; undefined = it cannot. */
function madeFor(format: SpeechFormat, { formats, wavRate }: SpeechAbilities): SpeechFormat | undefined {
  if (formats.includes(format)) return format
  if (format === 'wav' && formats.includes('pcm')) return 'pcm'
  return format === 'pcm' && formats.includes('wav') && wavRate === PCM_RATE ? 'wav' : undefined
}

/**
 * Format of a response. Without a choice it is mp3, or the nearest that the provider makes, which is a loss.
 * @throws HeadgateError with the formats of the model, if it cannot make the format
 */
export function formatFor(
  asked: SpeechFormat | undefined,
  can: SpeechAbilities,
  model: string,
  losses: Loss[],
): ChosenFormat {
  const able = PREFERRED.filter((format) => madeFor(format, can))
  const format = asked ?? able[0] ?? 'mp3'
  const made = madeFor(format, can)
  if (!made)
    throw invalid('response_format', `The model ${model} does not make ${format}. It makes ${able.join(', ')}.`)
  if (asked === undefined && format !== 'mp3')
    changed(losses, 'response_format', `the model makes no mp3, but ${format}`)
  return { format, made }
}

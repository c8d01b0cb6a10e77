import type { Usage } from '@headgate/core/canonical'
import type { SpeechFormat } from '@headgate/core/contract'
import { writeFrame } from '@headgate/core/formats'

/** Maximum bytes of sound in one event. */
const MAX_BYTES = 65_536

/** Writer of the events of `stream_format: sse`. */
export interface SpeechEvents {
  write(bytes: Uint8Array): string
  end(usage: Usage | undefined): string
}

/**
 * Creates a writer. Each event has whole samples and whole groups of base64, so that clients can join and play the
 * events one by one.
 * @see https://platform.openai.com/docs/api-reference/audio/speech-audio-delta-event
 */
export function speechEvents(format: SpeechFormat): SpeechEvents {
  const unit = format === 'pcm' ? 6 : 3
  let rest: Uint8Array = new Uint8Array(0)
  return {
    write(bytes) {
      const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      const whole = all.length - (all.length % unit)
      rest = all.subarray(whole)
      const most = MAX_BYTES - (MAX_BYTES % unit)
      let out = ''
      for (let at = 0; at < whole; at += most) out += deltaOf(all.subarray(at, Math.min(whole, at + most)))
      return out
    },
    end(usage) {
      const last = rest.length > 0 ? deltaOf(rest) : ''
      const tokens = usage && usage.units === undefined ? tokensOf(usage) : undefined
      return last + frameOf({ type: 'speech.audio.done', ...(tokens && { usage: tokens }) })
    },
  }
}

function tokensOf({ input, output }: Usage): object {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output }
}

function deltaOf(bytes: Uint8Array): string {
  const audio = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return frameOf({ type: 'speech.audio.delta', audio })
}

function frameOf(event: object): string {
  return writeFrame({ data: JSON.stringify(event) })
}

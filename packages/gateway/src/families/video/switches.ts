import type { Json } from '@headgate/core/canonical'

type SwitchType = 'text' | 'number' | 'boolean'

/** Fields and types of the switches that older models accept at the end of the prompt. */
const SWITCHES: Readonly<Record<string, readonly [field: string, kind: SwitchType]>> = {
  resolution: ['resolution', 'text'],
  rs: ['resolution', 'text'],
  ratio: ['ratio', 'text'],
  rt: ['ratio', 'text'],
  duration: ['duration', 'number'],
  dur: ['duration', 'number'],
  frames: ['frames', 'number'],
  framespersecond: ['framespersecond', 'number'],
  fps: ['framespersecond', 'number'],
  seed: ['seed', 'number'],
  camerafixed: ['camera_fixed', 'boolean'],
  cf: ['camera_fixed', 'boolean'],
  watermark: ['watermark', 'boolean'],
  wm: ['watermark', 'boolean'],
}

/** A word that starts like a switch, with the word after it. */
const SWITCH = /(?:^|\s)--([a-z]{2,15})[ \t]+([\w:.-]{1,32})(?=\s|$)/gi

function valueIn(kind: SwitchType, word: string): unknown {
  if (kind === 'text') return word
  if (kind === 'number') return /^-?\d{1,10}$/.test(word) ? Number(word) : undefined
  return word === 'true' ? true : word === 'false' ? false : undefined
}

/**
 * Removes the switches from a prompt: `a cat --ratio 16:9 --dur 5`. Unknown switches and switches with an invalid value
 * stay.
 * @see https://www.volcengine.com/docs/82379/1520757
 */
export function takeSwitches(source: string): { readonly text: string; readonly fields: Json } {
  const fields: Json = {}
  if (!source.includes('--')) return { text: source, fields }
  const text = source.replace(SWITCH, (whole, name: string, word: string) => {
    const known = Object.hasOwn(SWITCHES, name.toLowerCase()) ? SWITCHES[name.toLowerCase()] : undefined
    const value = known && valueIn(known[1], word)
    if (!known || value === undefined) return whole
    fields[known[0]] = value
    return ''
  })
  return { text: text.trim(), fields }
}

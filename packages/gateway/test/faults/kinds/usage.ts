import { type Answer, streamedAnswer, wholeAnswer, wires } from '../answers.ts'
import type { Fault } from '../fault.ts'
import type { Scene } from '../scene.ts'
import { answer, chunked } from '../step.ts'

/** JSON texts that stand where a count should. */
const POISON = {
  'negative counts': '-5',
  'counts beyond 2^53': '9007199254740993',
  'counts beyond all numbers': '1e400',
  'enormous counts': '1e300',
  'fractions for counts': '7.5',
  'NaN as a text for counts': '"NaN"',
  'texts for counts': '"12"',
  'null for counts': 'null',
  'lists for counts': '[1]',
  'objects for counts': '{"toString":1}',
  'true for counts': 'true',
} as const

const COUNTS = /"(\w*(?:tokens|TokenCount))":\d+/g

function poisoned(text: string, value: string): string {
  return text.replace(COUNTS, (_, name: string) => `"${name}":${value}`)
}

function usageFault(name: string, edit: (text: string) => string, more: Partial<Fault> = {}): Fault {
  const steps = (scene: Scene) =>
    scene.stream
      ? chunked(wires(scene, streamedAnswer(scene)).map(edit))
      : answer(200, edit(JSON.stringify(wholeAnswer(scene))))
  return { name, fate: 'served', ...more, steps }
}

function withoutUsage(text: string): string {
  return text.replace(/"(?:usage|usageMetadata)":\{[^{}]*\}/g, '"other":{}')
}

const details: Answer = {
  cached_tokens: -1,
  cache_read_input_tokens: 1e300,
  reasoning_tokens: '9',
  cachedContentTokenCount: 1e300,
}

/** Counts that can not be, and none at all. */
export const usageFaults: readonly Fault[] = [
  ...Object.entries(POISON).map(([name, value]) => usageFault(name, (text) => poisoned(text, value))),
  usageFault('no usage', withoutUsage),
  usageFault('usage that is a text', (text) => text.replace(/"(usage|usageMetadata)":\{[^{}]*\}/g, '"$1":"a lot"')),
  usageFault('parts of usage beyond the whole', (text) =>
    text.replace(
      /"(usage|usageMetadata)":\{/g,
      (found) =>
        `${found}"prompt_tokens_details":${JSON.stringify(details)},"cachedContentTokenCount":99,"cache_read_input_tokens":99,`,
    ),
  ),
]

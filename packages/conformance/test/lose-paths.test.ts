import type { Call, Json } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { examine, FORMATS, type KitFormat } from '../src/index.ts'
import { example, factsOf } from './adapters.ts'

const OPTIONS: Readonly<Record<KitFormat, readonly string[]>> = {
  'chat-completions': ['max_completion_tokens', 'temperature', 'top_p', 'stop', 'response_format', 'reasoning_effort'],
  messages: ['temperature', 'top_p', 'stop_sequences', 'output_config.format', 'thinking'],
  'generate-content': [
    'maxOutputTokens',
    'temperature',
    'topP',
    'stopSequences',
    'responseSchema',
    'thinkingConfig',
  ].map((field) => `generationConfig.${field}`),
  responses: ['max_output_tokens', 'temperature', 'top_p', 'text.format', 'reasoning'],
}

/** The body without what stands at a path. */
function without(body: Json, [key = '', ...rest]: readonly string[]): Json {
  const { [key]: inner, ...others } = body
  if (inner === undefined) return body
  return rest.length === 0 ? others : { ...others, [key]: without(inner as Json, rest) }
}

function patching(paths: readonly string[], lose: (call: Call, path: string) => void) {
  return (body: Json, call: Call): Json => {
    const patched = paths.reduce((left, path) => {
      const shorter = without(left, path.split('.'))
      if (JSON.stringify(shorter) !== JSON.stringify(left)) lose(call, path)
      return shorter
    }, body)
    return patched
  }
}

describe('A finding about an option that is left out', () => {
  it.each(FORMATS)('names the path that `call.lose` takes, in %s', { tags: ['full'] }, async (format) => {
    const examined = async (lose: (call: Call, path: string) => void): Promise<string> => {
      const patchRequest = patching(OPTIONS[format], lose)
      const found = await examine(
        example(format, { support: { patchRequest } }),
        factsOf(format),
        /^serves "(sampling|structured-output|reasoning)"/,
      )
      return found.map(({ message }) => message).join('\n')
    }
    const silent = await examined(() => {})
    const named = new Set([...silent.matchAll(/call\.lose\('([^']+)', …\)/g)].map(([, path = '']) => path))
    expect([...named].sort()).toEqual([...OPTIONS[format]].sort())
    expect(await examined((call, path) => call.lose(path, 'the upstream does not accept it'))).toBe('')
  })
})

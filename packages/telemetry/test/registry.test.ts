import { describe, expect, it } from 'vitest'
import { CALL_ATTRIBUTES } from '../src/dialects.ts'
import { DURATION_BOUNDS, GEN_AI_METRICS, prometheusName, TOKEN_BOUNDS } from '../src/gen-ai-metrics.ts'
import { ATTRIBUTES_1_41, METRICS_1_41 } from './registry-1.41.ts'

/** Bounds in the documentation of the conventions 1.41. */
const DURATIONS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]

describe('The conventions 1.41', () => {
  it('have each attribute of model calls with its type', () => {
    const used = CALL_ATTRIBUTES.flatMap(({ names, type }) =>
      names['1.41'] === undefined ? [] : [[names['1.41'], type]],
    )
    expect(used.length).toBeGreaterThan(15)
    expect(used.filter(([name = '', type]) => ATTRIBUTES_1_41[name] !== type)).toEqual([])
  })

  it('have each metric with its instrument, unit and bounds', () => {
    for (const { name, type, unit } of Object.values(GEN_AI_METRICS['1.41']))
      expect(METRICS_1_41[name], name).toMatchObject({ instrument: type, unit })
    expect(DURATION_BOUNDS.slice(0, DURATIONS.length)).toEqual(DURATIONS)
    expect(TOKEN_BOUNDS).toEqual(TOKENS)
  })

  it('are not mixed with newer names', () => {
    const newer = Object.values(GEN_AI_METRICS['gen-ai-0.1']).map(({ name }) => name)
    expect(newer.filter((name) => name in METRICS_1_41)).toEqual(['gen_ai.client.operation.duration'])
  })
})

describe('Names in Prometheus', () => {
  it.each([
    ['gen_ai.client.operation.duration', 'histogram', 's', 'gen_ai_client_operation_duration_seconds'],
    ['gen_ai.client.token.usage', 'histogram', '{token}', 'gen_ai_client_token_usage'],
    [
      'gen_ai.client.inference.usage.input_tokens',
      'counter',
      '{token}',
      'gen_ai_client_inference_usage_input_tokens_total',
    ],
  ] as const)('of %s', (name, type, unit, expected) => {
    expect(prometheusName({ name, type, unit })).toBe(expected)
  })
})

import type { Json, ModelFacts } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { examine } from '../src/index.ts'
import { example, factsOf } from './adapters.ts'

const TOOLS = /^serves "(tools|tool-result)"/
const withoutTools = factsOf('chat-completions', { lacks: ['tools'] })
const known: readonly ModelFacts[] = [{ id: 'claude-sonnet-4-5', tools: false }]

async function findings(deviation: Parameters<typeof example>[1]): Promise<string> {
  return (await examine(example('chat-completions', deviation), withoutTools, TOOLS))
    .map(({ message }) => message)
    .join('\n')
}

describe('The kit, of a model that calls no tools,', () => {
  it('finds nothing in an adapter whose model has `tools: false`', async () => {
    expect(await findings({ provider: { known } })).toBe('')
  })

  it('finds an adapter that sends tools all the same', async () => {
    expect(await findings({})).toMatch(
      /The model calls no tools, and "tools" of callers of messages got status 400, .*Set `tools: false` for the model in `known`/,
    )
  })

  it('finds an adapter that leaves tools out in silence', async () => {
    const silent = ({ tools, tool_choice, ...body }: Json): Json => body
    expect(await findings({ support: { patchRequest: silent } })).toContain(
      '"tools" of callers of chat-completions got status 200',
    )
  })

  it('accepts tools that are left out and declared', async () => {
    const tools = await examine(
      example('chat-completions', { support: { drop: ['tools', 'tool_choice'] } }),
      withoutTools,
      /^serves "tools"/,
    )
    expect(tools).toEqual([])
  })
})

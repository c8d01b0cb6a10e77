import { describe, expect, it } from 'vitest'
import type { Loss } from '../../src/canonical/loss.ts'
import * as chat from '../../src/formats/chat-completions/usage.ts'
import * as gemini from '../../src/formats/generate-content/usage.ts'
import * as messages from '../../src/formats/messages/usage.ts'

/**
 * What vendors count, by their own documents: https://platform.openai.com/docs/api-reference/chat/object,
 * https://platform.claude.com/docs/en/api/messages, https://ai.google.dev/api/generate-content#UsageMetadata.
 */
describe('The kinds of tokens of an answer', () => {
  it('has images, and what of sound was cached', () => {
    const openai = { prompt_tokens: 900, completion_tokens: 80, total_tokens: 980 }
    expect(
      chat.readUsage({
        ...openai,
        prompt_tokens_details: { image_tokens: 700 },
        completion_tokens_details: { image_tokens: 60 },
      }),
    ).toEqual({ input: 900, output: 80, imageInput: 700, imageOutput: 60 })
    expect(
      gemini.readUsage({
        promptTokenCount: 900,
        cachedContentTokenCount: 300,
        candidatesTokenCount: 1290,
        totalTokenCount: 2190,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 142 },
          { modality: 'IMAGE', tokenCount: 258 },
          { modality: 'AUDIO', tokenCount: 500 },
        ],
        cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 300 }],
        candidatesTokensDetails: [{ modality: 'image', tokenCount: 1290 }],
      }),
    ).toEqual({
      input: 900,
      output: 1290,
      cacheRead: 300,
      audioInput: 500,
      audioCached: 300,
      imageInput: 258,
      imageOutput: 1290,
    })
  })

  it('comes back from what is written of it, or is declared', () => {
    const usage = {
      input: 900,
      output: 80,
      cacheRead: 300,
      audioInput: 500,
      audioCached: 300,
      audioOutput: 5,
      imageInput: 200,
      imageOutput: 60,
    }
    const lost = (write: (losses: Loss[]) => unknown) => {
      const losses: Loss[] = []
      return { written: write(losses), paths: losses.map(({ path }) => path) }
    }
    const ofGemini = lost((losses) => gemini.writeUsage(usage, losses))
    expect([gemini.readUsage(ofGemini.written), ofGemini.paths]).toEqual([usage, []])
    const { audioCached: _, ...told } = usage
    const ofChat = lost((losses) => chat.writeUsage(usage, losses))
    expect([chat.readUsage(ofChat.written), ofChat.paths]).toEqual([told, ['usage.audioCached']])
    expect(lost((losses) => messages.writeUsage(usage, losses)).paths).toEqual(
      ['audioInput', 'audioCached', 'audioOutput', 'imageInput', 'imageOutput'].map((field) => `usage.${field}`),
    )
  })

  it('has reasoning within the output, whether a vendor counts it there or beside it', () => {
    const reasoning = { reasoning_tokens: 40 }
    expect(
      chat.readUsage({
        prompt_tokens: 10,
        completion_tokens: 50,
        total_tokens: 60,
        completion_tokens_details: reasoning,
      })?.output,
    ).toBe(50)
    expect(
      chat.readUsage({
        prompt_tokens: 10,
        completion_tokens: 10,
        total_tokens: 60,
        completion_tokens_details: reasoning,
      })?.output,
    ).toBe(50)
    expect(
      messages.readUsage({ input_tokens: 10, output_tokens: 50, output_tokens_details: { thinking_tokens: 40 } })
        ?.output,
    ).toBe(50)
    const google = { promptTokenCount: 10, thoughtsTokenCount: 40, totalTokenCount: 60 }
    expect(gemini.readUsage({ ...google, candidatesTokenCount: 10 })?.output).toBe(50)
    expect(gemini.readUsage({ ...google, candidatesTokenCount: 50 })?.output).toBe(50)
  })
})

describe('The tier of service of an answer', () => {
  const google = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }

  it.each([
    [{ trafficType: 'ON_DEMAND' }, undefined],
    [{ trafficType: 'TRAFFIC_TYPE_UNSPECIFIED' }, undefined],
    [{ trafficType: 'ON_DEMAND_FLEX' }, 'flex'],
    [{ trafficType: 'ON_DEMAND_PRIORITY' }, 'priority'],
    [{ trafficType: 'ON_DEMAND_OFFPEAK' }, 'offpeak'],
    [{ trafficType: 'PROVISIONED_THROUGHPUT' }, 'provisioned_throughput'],
    [{ serviceTier: 'standard' }, undefined],
    [{ serviceTier: 'unspecified' }, undefined],
    [{ serviceTier: 'flex' }, 'flex'],
    [{ serviceTier: 'PRIORITY' }, 'priority'],
  ])('of Google, that is %o, is %s', (named, tier) => {
    expect(gemini.readUsage({ ...google, ...named })?.tier).toBe(tier)
  })

  it('is read beside the usage of chat completions, and is cut where it is no name', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    expect(['default', 'auto', null, 5, 'Flex'].map((tier) => chat.readUsage(usage, tier)?.tier)).toEqual([
      ...[undefined, undefined, undefined, undefined],
      'flex',
    ])
    expect(chat.readUsage(usage, 'x'.repeat(1_000))?.tier).toHaveLength(64)
  })

  it('of a message is what costs more or less of its tier, speed and place', () => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    const tierOf = (more: object) => messages.readUsage({ ...usage, ...more })?.tier
    expect(tierOf({ service_tier: 'standard', speed: 'standard', inference_geo: 'not_available' })).toBeUndefined()
    expect(tierOf({ service_tier: 'priority', speed: null, inference_geo: 'global' })).toBe('priority')
    expect(tierOf({ service_tier: 'batch', inference_geo: 'us' })).toBe('batch+us')
  })
})

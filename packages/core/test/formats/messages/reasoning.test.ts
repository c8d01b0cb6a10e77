import { describe, expect, it } from 'vitest'
import type { Block } from '../../../src/canonical/block.ts'
import type { Reasoning } from '../../../src/canonical/request.ts'
import type { Target } from '../../../src/canonical/target.ts'
import { assistant, at, call, MIDDLE, NEWEST, OLD, result, user, write } from './support.ts'

const ALWAYS = { model: 'claude-fable-5-1', signer: 'claude' }
const BETWEEN = { model: 'claude-sonnet-5-5', signer: 'claude' }
const BOTH = { model: 'claude-sonnet-4-6', signer: 'claude' }
const paths = { reasoning: 'reasoning_effort' }

function thinking(reasoning: Reasoning, target: Target, maxTokens?: number) {
  const { body, lost } = write({ reasoning, paths, ...(maxTokens !== undefined && { maxTokens }) }, target)
  return { thinking: body['thinking'], effort: at(body, 'output_config', 'effort'), lost }
}

const adaptive = { type: 'adaptive', display: 'summarized' }
const enabled = (tokens: number) => ({ type: 'enabled', budget_tokens: tokens })

describe('Reasoning in a messages request', () => {
  it.each<[Reasoning, unknown, string | undefined, string[]]>([
    [{ effort: 'minimal' }, adaptive, 'low', ['changed reasoning_effort']],
    [{ effort: 'low' }, adaptive, 'low', []],
    [{ effort: 'xhigh' }, adaptive, 'xhigh', []],
    [{ effort: 'max' }, adaptive, 'max', []],
    [{ effort: 'high', show: false }, { type: 'adaptive', display: 'omitted' }, 'high', []],
    [{ adaptive: true }, { type: 'adaptive' }, undefined, []],
    [{ adaptive: true, effort: 'medium', show: true }, adaptive, 'medium', []],
    [{ budget: -1 }, adaptive, undefined, []],
    [{ budget: 1024 }, adaptive, 'low', ['changed reasoning_effort']],
    [{ budget: 10_000 }, adaptive, 'medium', ['changed reasoning_effort']],
    [{ budget: 30_000 }, adaptive, 'high', ['changed reasoning_effort']],
    [{ effort: 'none' }, { type: 'disabled' }, undefined, []],
    [{ budget: 0 }, { type: 'disabled' }, undefined, []],
    [{ show: false }, undefined, undefined, []],
  ])('%j on a model that thinks adaptively', (wish, expected, effort, lost) => {
    expect(thinking(wish, NEWEST)).toEqual({ thinking: expected, effort, lost })
  })

  it.each<[Reasoning, unknown, string[]]>([
    [{ effort: 'minimal' }, enabled(1024), []],
    [{ effort: 'low' }, enabled(2048), []],
    [{ effort: 'medium' }, enabled(8192), []],
    [{ effort: 'max' }, enabled(32_000), []],
    [{ adaptive: true }, enabled(8192), []],
    [{ budget: 5000, show: false }, { ...enabled(5000), display: 'omitted' }, []],
    [{ budget: 100 }, enabled(1024), ['changed reasoning_effort']],
    [{ effort: 'none' }, { type: 'disabled' }, []],
  ])('%j on a model that thinks on a budget', (wish, expected, lost) => {
    expect(thinking(wish, MIDDLE)).toEqual({ thinking: expected, effort: undefined, lost })
  })

  it('keeps a budget where the model takes both, and says xhigh as the model can', () => {
    expect(thinking({ budget: 5000 }, BOTH)).toEqual({ thinking: enabled(5000), effort: undefined, lost: [] })
    expect(thinking({ effort: 'xhigh' }, BOTH)).toEqual({
      thinking: adaptive,
      effort: 'max',
      lost: ['changed reasoning_effort'],
    })
  })

  it('leaves room for the answer within max_tokens', () => {
    expect(thinking({ effort: 'high' }, MIDDLE, 4000)).toEqual({ thinking: enabled(3000), effort: undefined, lost: [] })
    expect(thinking({ budget: 8000 }, MIDDLE, 4000)).toEqual({
      thinking: enabled(3999),
      effort: undefined,
      lost: ['changed reasoning_effort'],
    })
    expect(thinking({ effort: 'high' }, MIDDLE, 1000)).toEqual({
      thinking: undefined,
      effort: undefined,
      lost: ['dropped reasoning_effort'],
    })
  })

  it('case 118: switching it off is said in so many words, since some models think by default', () => {
    expect(thinking({ effort: 'none' }, { model: 'claude-sonnet-5' }).thinking).toEqual({ type: 'disabled' })
  })

  it('thinks as little as can be where it can not be switched off', () => {
    expect(thinking({ effort: 'none' }, ALWAYS)).toEqual({
      thinking: undefined,
      effort: 'low',
      lost: ['changed reasoning_effort'],
    })
    expect(thinking({ effort: 'none' }, BETWEEN)).toEqual({
      thinking: { type: 'between_tools' },
      effort: undefined,
      lost: ['changed reasoning_effort'],
    })
  })

  it('case 123: lowers an effort that the model refuses without thinking', () => {
    const extensions = { format: 'messages', fields: { output_config: { effort: 'max' } } }
    const { body, lost } = write({ reasoning: { effort: 'none' }, extensions }, NEWEST)
    expect(body).toMatchObject({ thinking: { type: 'disabled' }, output_config: { effort: 'high' } })
    expect(lost).toEqual(['changed output_config.effort'])
  })

  it('drops it for models that do not think', () => {
    expect(thinking({ effort: 'high' }, OLD)).toEqual({
      thinking: undefined,
      effort: undefined,
      lost: ['dropped reasoning_effort'],
    })
    expect(thinking({ effort: 'none' }, OLD)).toEqual({ thinking: undefined, effort: undefined, lost: [] })
    expect(thinking({ effort: 'high' }, { ...MIDDLE, limits: { id: 'x', reasoning: false } }).lost).toEqual([
      'dropped reasoning_effort',
    ])
  })

  it('tells generations apart by the name of the model on any cloud', () => {
    const kind = (model: string) => at(thinking({ budget: 2000 }, { model }).thinking, 'type')
    expect(
      [
        'us.anthropic.claude-opus-4-1-20250805-v1:0',
        'claude-opus-4-0',
        'claude-sonnet-4@20250514',
        'claude-haiku-4-5-20251001',
        'claude-opus-4-6',
      ].map(kind),
    ).toEqual(Array<string>(5).fill('enabled'))
    expect(
      ['claude-opus-4-7', 'claude-sonnet-5', 'anthropic/claude-opus-4.8', 'claude-opus-6', 'claude-mythos-preview'].map(
        kind,
      ),
    ).toEqual(Array<string>(5).fill('adaptive'))
  })
})

describe('Reasoning of earlier turns in a messages request', () => {
  const signed: Block = { type: 'reasoning', text: 'hm', signature: { signer: 'claude', value: 'SIG+/=' } }
  const later = [user('and?')]

  it('case 99: goes back to its signer byte for byte', () => {
    const redacted: Block = {
      type: 'reasoning',
      text: '',
      redacted: true,
      signature: { signer: 'claude', value: 'ENC' },
    }
    const { body, lost } = write({ messages: [user('hi'), assistant(signed, redacted, 'yo'), ...later] })
    expect(at(body, 'messages', 1, 'content')).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'SIG+/=' },
      { type: 'redacted_thinking', data: 'ENC' },
      { type: 'text', text: 'yo' },
    ])
    expect(lost).toEqual([])
  })

  it('case 102: goes back without text as well', () => {
    const omitted: Block = { type: 'reasoning', text: '', signature: { signer: 'claude', value: 'SIG' } }
    expect(
      at(write({ messages: [user('hi'), assistant(omitted, 'yo'), ...later] }).body, 'messages', 1, 'content', 0),
    ).toEqual({
      type: 'thinking',
      thinking: '',
      signature: 'SIG',
    })
  })

  it('case 113: a foreign one is dropped, and the call beside it survives', () => {
    const foreign: Block = {
      type: 'reasoning',
      text: '',
      redacted: true,
      signature: { signer: 'openai', value: 'x' },
      at: 'messages[1].content[0]',
    }
    const { body, lost } = write({
      messages: [user('hi'), assistant(foreign, call('c1')), user(result('c1'))],
      tools: [{ type: 'function', name: 'f' }],
    })
    expect(at(body, 'messages', 1, 'content')).toMatchObject([{ type: 'tool_use' }])
    expect(lost).toEqual(['dropped messages[1].content[0]'])
  })

  it('one without a signature is dropped, since the vendor refuses it', () => {
    const { body, lost } = write({
      messages: [
        user('hi'),
        assistant({ type: 'reasoning', text: 'hm', at: 'messages[1].reasoning_content' }, 'yo'),
        ...later,
      ],
    })
    expect(at(body, 'messages', 1, 'content')).toEqual([{ type: 'text', text: 'yo' }])
    expect(lost).toEqual(['dropped messages[1].reasoning_content'])
  })

  it('goes to no provider that is not known to verify it', () => {
    expect(
      write({ messages: [user('hi'), assistant(signed, 'yo'), ...later] }, { model: 'kimi-k3' }).body['messages'],
    ).toHaveLength(3)
    expect(
      JSON.stringify(write({ messages: [user('hi'), assistant(signed, 'yo'), ...later] }, { model: 'kimi-k3' }).body),
    ).not.toContain('SIG')
  })

  it('case 98: thinking is off for a request whose client lost the thoughts before the last call', () => {
    const lostTurn = [user('hi'), assistant(call('c1')), user(result('c1'))]
    const { body, lost } = write({ messages: lostTurn, reasoning: { effort: 'high' }, paths }, MIDDLE)
    expect(body['thinking']).toEqual({ type: 'disabled' })
    expect(lost).toEqual(['dropped reasoning_effort'])
    expect(write({ messages: lostTurn, reasoning: { effort: 'high' } }, NEWEST).body['thinking']).toEqual(adaptive)
    expect(
      write(
        { messages: [user('hi'), assistant(signed, call('c1')), user(result('c1'))], reasoning: { effort: 'high' } },
        MIDDLE,
      ).body['thinking'],
    ).toMatchObject({
      type: 'enabled',
    })
    expect(
      write({ messages: [...lostTurn, assistant('done'), user('more')], reasoning: { effort: 'high' } }, MIDDLE).body[
        'thinking'
      ],
    ).toMatchObject({ type: 'enabled' })
  })
})

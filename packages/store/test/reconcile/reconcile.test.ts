import { describe, expect, it } from 'vitest'
import { dayOf, nanosOf } from '../../src/reconcile/bill.ts'
import { readCommaSeparated } from '../../src/reconcile/comma-separated.ts'
import { compareBill, rangeOf } from '../../src/reconcile/compare-bill.ts'
import { readBill } from '../../src/reconcile/read-bill.ts'
import { settleByBill } from '../../src/reconcile/settle-bill.ts'
import type { UpstreamDay } from '../../src/usage/upstream-days.ts'

// All written by hand, from what vendors' documentation says of their exports.

const BUCKET = { object: 'bucket', start_time: 1_793_491_200, end_time: 1_793_577_600 }
const page = (...results: object[]) => ({
  object: 'page',
  data: [{ ...BUCKET, results }],
  has_more: false,
  next_page: null,
})
const usage = (model: string | null, input_tokens: number, output_tokens: number) => ({
  object: 'organization.usage.completions.result',
  input_tokens,
  output_tokens,
  input_cached_tokens: 5,
  num_model_requests: 2,
  project_id: null,
  model,
  batch: null,
})
const cost = (line_item: string | null, value: number, currency = 'usd') => ({
  object: 'organization.costs.result',
  amount: { value, currency },
  line_item,
  project_id: null,
  quantity: null,
})
const MESSAGES = {
  starting_at: '2026-11-01T00:00:00Z',
  ending_at: '2026-11-02T00:00:00Z',
  results: [
    {
      api_key_id: null,
      workspace_id: null,
      model: 'claude-sonnet-4-20250514',
      service_tier: 'standard',
      context_window: '0-200k',
      uncached_input_tokens: 1_500,
      cache_creation: { ephemeral_1h_input_tokens: 1_000, ephemeral_5m_input_tokens: 500 },
      cache_read_input_tokens: 200,
      output_tokens: 500,
      server_tool_use: { web_search_requests: 10 },
    },
  ],
}
const COSTS = {
  starting_at: '2026-11-01T00:00:00Z',
  ending_at: '2026-11-02T00:00:00Z',
  results: [
    {
      amount: '123.45',
      currency: 'USD',
      cost_type: 'tokens',
      description: 'Claude Sonnet 4 Usage - Input Tokens',
      model: 'claude-sonnet-4-20250514',
    },
    { amount: '1', currency: 'USD', cost_type: 'web_search', description: 'Web Search Usage', model: null },
  ],
}
const line = (model: string, amounts: object) => ({ day: '2026-11-01', model, ...amounts })

describe('A bill', () => {
  it.each<[string, string, string, object[]]>([
    [
      'usage of an API',
      JSON.stringify(page(usage('gpt-4o-2024-08-06', 1_000, 500))),
      'usage by model',
      [line('gpt-4o-2024-08-06', { input: 1_000, output: 500 })],
    ],
    [
      'pages of an API, one a line',
      `${JSON.stringify(page(usage('a', 1, 2)))}\n${JSON.stringify(page(usage('b', 3, 4)))}\n`,
      'usage by model',
      [line('a', { input: 1, output: 2 }), line('b', { input: 3, output: 4 })],
    ],
    [
      'costs of an API',
      JSON.stringify([
        page(cost('gpt-4o-2024-08-06, input', 0.06), cost('gpt-4o-2024-08-06, cached input', 1e-7)),
        page(cost('web search', 2)),
      ]),
      'costs by line item',
      [
        line('gpt-4o-2024-08-06', { cost: 60_000_000n }),
        line('gpt-4o-2024-08-06', { cost: 100n }),
        line('web search', { cost: 2_000_000_000n }),
      ],
    ],
    [
      'costs of a console',
      'start_time,end_time,start_time_iso,amount_value,amount_currency,line_item,project_id\r\n1793491200,1793577600,2026-11-01,0.0600001,usd,"gpt-4o-2024-08-06, output",proj_1\r\n',
      'costs by line item',
      [line('gpt-4o-2024-08-06', { cost: 60_000_100n })],
    ],
    [
      'usage of a console',
      'start_time,end_time,num_model_requests,model,input_tokens,output_tokens,input_cached_tokens\n1793491200,1793577600,3,gpt-5.4,10,20,4\n',
      'usage by model',
      [line('gpt-5.4', { input: 10, output: 20 })],
    ],
    [
      'usage of messages',
      JSON.stringify({ data: [MESSAGES], has_more: false, next_page: null }),
      'usage of messages by model',
      [line('claude-sonnet-4-20250514', { input: 3_200, output: 500 })],
    ],
    [
      'costs of messages, in cents',
      JSON.stringify({ data: [COSTS], has_more: false, next_page: null }),
      'costs by description',
      [line('claude-sonnet-4-20250514', { cost: 1_234_500_000n }), line('Web Search Usage', { cost: 10_000_000n })],
    ],
    [
      'usage of messages of a console',
      '\uFEFFusage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count\n2026-11-01,claude-haiku-4-5-20251001,"key, one",Default,standard,≤ 200k,50000,10,20,30,2000,0\n',
      'usage by model and day',
      [line('claude-haiku-4-5-20251001', { input: 50_060, output: 2_000 })],
    ],
    [
      'costs of messages of a console',
      'usage_date_utc,model,workspace,cost_type,token_type,cost_usd\n2026-11-01,Claude Sonnet 4.5,Default,token,output,0.0123\n',
      'costs by model and day',
      [line('Claude Sonnet 4.5', { cost: 12_300_000n })],
    ],
    [
      'costs of a warehouse',
      'service.description,sku.description,usage_start_time,usage_end_time,usage.amount,usage.unit,cost,currency\nGemini API,Generate content input token count Gemini 2.5 Flash Lite text,2026-11-01 23:00:00 UTC,2026-11-02 00:00:00 UTC,1200.0,count,0.00012,USD\nGemini API,Generate content output token count Gemini 2.5 Flash Lite text,2026-11-01 23:00:00 UTC,2026-11-02 00:00:00 UTC,300.0,count,0.00012,USD\nCompute,Core,2026-11-01 23:00:00 UTC,2026-11-02 00:00:00 UTC,5,seconds,1,USD\n',
      'costs by SKU',
      [
        line('gemini-2.5-flash-lite', { cost: 120_000n, input: 1_200 }),
        line('gemini-2.5-flash-lite', { cost: 120_000n, output: 300 }),
        line('Core', { cost: 1_000_000_000n }),
      ],
    ],
    [
      'the same as JSON',
      JSON.stringify([
        {
          service: { description: 'Gemini API' },
          sku: { description: 'Generate content input token count Gemini 3.5 Pro' },
          usage_start_time: '2026-11-01T08:00:00Z',
          usage: { amount: 7, unit: 'count' },
          cost: 0.5,
          currency: 'USD',
        },
      ]),
      'costs by SKU',
      [line('gemini-3.5-pro', { cost: 500_000_000n, input: 7 })],
    ],
    [
      'a table of a console, under a few words, with a total',
      'Invoice number,42\nBilling account,abc\n\nService description,SKU description,Usage start date,Usage end date,Usage amount,Usage unit,Unrounded Cost ($),Cost ($)\nGemini API,Generate content input token count Gemini 2.5 Pro,2026-11-01,2026-11-30,"1,200",count,1.23456,1.23\n,,,,,,Total,1.23\n',
      'costs by SKU and day',
      [line('gemini-2.5-pro', { cost: 1_234_560_000n, input: 1_200 })],
    ],
  ])('is read: %s', (_, text, format, lines) => {
    expect(readBill(text)).toMatchObject({ format, lines })
  })

  it.each([
    ['grouped by nothing', JSON.stringify(page(usage(null, 1, 2))), 'grouped by model'],
    ['of costs grouped by nothing', JSON.stringify(page(cost(null, 1))), 'grouped by line item'],
    ['in another currency', JSON.stringify(page(cost('a, input', 1, 'eur'))), 'in US dollars'],
    ['that is something else', 'a,b\n1,2\n', 'export format is unknown'],
    ['that is empty', '', 'export format is unknown'],
    ['without lines', '{"data":[]}', 'has no lines'],
    ['that is cut', '{"data":[', 'incomplete'],
    ['that is cut within a cell', 'usage_date_utc,model,cost_usd\n2026-11-01,"Claude', 'incomplete'],
  ])('%s is refused, with what to do', (_, text, message) => {
    expect(() => readBill(text)).toThrow(
      expect.objectContaining({ kind: 'invalid-request', message: expect.stringContaining(message) }),
    )
  })

  it('says what was left out of it', () => {
    const { lines, remarks } = readBill('usage_date_utc,model,cost_usd\n2026-11-01,a,1\nTotal,,1\n')
    expect([lines.length, remarks]).toEqual([1, [expect.stringContaining('1 lines of the export')]])
  })
})

describe('A bill against the ledger', () => {
  const day = (change: Partial<UpstreamDay>): UpstreamDay => ({
    day: '2026-11-01',
    model: 'a',
    calls: 1,
    unpriced: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cost: '0',
    ...change,
  })

  it('has what differs, what only one side has, and the sums', () => {
    const bill = {
      lines: [
        { day: '2026-11-01', model: 'claude-sonnet-4-5-20250929', input: 1_000, output: 200 },
        { day: '2026-11-01', model: 'Claude Sonnet 4.5', cost: 3_000n },
        { day: '2026-11-01', model: 'web search', cost: 70n },
        { day: '2026-11-02', model: 'b', input: 3, output: 0 },
      ],
    }
    const ledger = [
      day({ model: 'claude-sonnet-4.5', input: 900, output: 200, cost: '2991' }),
      day({ model: 'c', input: 5, unpriced: 2 }),
      day({ day: '2026-11-02', model: 'models/b-2026-01-02', input: 4, output: 1 }),
    ]
    const { lines, total, unpriced } = compareBill(bill, ledger)
    expect(lines).toEqual([
      {
        day: '2026-11-01',
        model: 'c',
        bill: undefined,
        ledger: { input: 5, output: 0, cost: 0n },
        differences: {
          input: { absolute: 5n, percent: null },
          output: { absolute: 0n, percent: null },
          cost: { absolute: 0n, percent: null },
        },
      },
      {
        day: '2026-11-01',
        model: 'claude-sonnet-4-5-20250929',
        bill: { input: 1_000, output: 200, cost: 3_000n },
        ledger: { input: 900, output: 200, cost: 2_991n },
        differences: {
          input: { absolute: -100n, percent: -10 },
          output: { absolute: 0n, percent: 0 },
          cost: { absolute: -9n, percent: -0.3 },
        },
      },
      {
        day: '2026-11-01',
        model: 'web search',
        bill: { cost: 70n },
        ledger: undefined,
        differences: { cost: { absolute: -70n, percent: -100 } },
      },
      {
        day: '2026-11-02',
        model: 'b',
        bill: { input: 3, output: 0 },
        ledger: { input: 4, output: 1, cost: 0n },
        differences: { input: { absolute: 1n, percent: 33.3333 }, output: { absolute: 1n, percent: null } },
      },
    ])
    expect(total).toMatchObject({
      bill: { input: 1_003, output: 200, cost: 3_070n },
      ledger: { input: 909, output: 201, cost: 2_991n },
    })
    expect(unpriced).toBe(2)
    expect(rangeOf(bill)).toEqual({ from: Date.parse('2026-11-01'), to: Date.parse('2026-11-03') })
    expect(rangeOf({ lines: [] })).toBeUndefined()
  })
})

describe('What an export writes', () => {
  it.each<[unknown, bigint | undefined]>([
    [0.1, 100_000_000n],
    ['1e-9', 1n],
    ['1E+2', 100_000_000_000n],
    ['-0.5', -500_000_000n],
    ['$1,234.5', 1_234_500_000_000n],
    ['.5', 500_000_000n],
    ['0.0000000019', 1n],
    ['', undefined],
    ['.', undefined],
    ['much', undefined],
    [null, undefined],
    ['9'.repeat(50), undefined],
    ['1e99', undefined],
  ])('is money: %j', (amount, nanos) => {
    expect(nanosOf(amount)).toBe(nanos)
  })

  it.each<[unknown, string | undefined]>([
    [1_793_491_200, '2026-11-01'],
    ['1793577599', '2026-11-01'],
    ['2026-11-01T23:59:59-01:00', '2026-11-02'],
    ['2026-11-01 23:59:59 UTC', '2026-11-01'],
    ['Total', undefined],
    ['', undefined],
    [1e300, undefined],
  ])('is a day in UTC: %j', (time, day) => {
    expect(dayOf(time)).toBe(day)
  })

  it('is cells, also with quotes, commas and line ends in them', () => {
    expect(readCommaSeparated('a,"b ""c"", d\r\ne",\r\n\r\n1,,3\n,\n"x"')).toEqual([
      ['a', 'b "c", d\r\ne', ''],
      ['1', '', '3'],
      ['x'],
    ])
  })
})

describe('Held amounts of a provider', () => {
  const [day, model] = ['2026-11-01', 'claude-sonnet-4']
  const held = (id: string, amount: bigint, of = model) => ({
    id,
    requestId: id,
    principal: 'key_1',
    at: Date.parse(day),
    model: of,
    provider: 'mine',
    providerModel: of,
    why: 'failed',
    held: amount,
  })
  const amounts = [held('a', 60n), held('b', 30n), held('c', 50n, 'other')]
  it.each([
    ['are charged in proportion', 145n, [30n, 15n]],
    ['share what does not divide', 101n, [1n, 0n]],
    ['are charged in full at most', 900n, [60n, 30n]],
    ['are released if the known costs are all that is charged', 99n, [0n, 0n]],
  ])('%s, by day and model', (_, cost, costs) => {
    const lines = [{ day, model: 'claude-sonnet-4-20250514', cost }]
    const [settled, ...more] = settleByBill({ lines }, [{ day, model, cost: '100' }], amounts)
    expect([settled?.settlements.map(({ cost }) => cost), more]).toEqual([costs, []])
    expect(settleByBill({ lines: [{ day, model }] }, [], amounts)).toEqual([])
  })
})

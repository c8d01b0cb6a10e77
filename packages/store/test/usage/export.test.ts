import { describe, expect, it } from 'vitest'
import { csvHead, csvOf, ndjsonOf } from '../../src/usage/export.ts'
import type { OwnedUsage } from '../../src/usage/rows.ts'

const row = (change: Partial<OwnedUsage> = {}): OwnedUsage => ({
  id: '018bcfe5-6800-7000-8000-000000000001',
  at: 1_700_000_000_000,
  requestId: 'req_1',
  principal: 'key_1',
  project: 'prj_1',
  environment: 'production',
  member: null,
  keyName: null,
  projectName: null,
  memberName: null,
  family: 'chat',
  format: 'messages',
  model: 'fast',
  provider: 'mine',
  endpoint: null,
  providerModel: 'model-1',
  policy: null,
  routing: null,
  stream: false,
  translated: true,
  status: 200,
  input: 10,
  output: 20,
  cacheRead: null,
  cacheWrite: null,
  cacheWriteLong: null,
  reasoning: null,
  audioInput: null,
  audioOutput: null,
  imageInput: null,
  imageOutput: null,
  units: null,
  variant: null,
  estimated: false,
  cost: '1500',
  charged: '0',
  held: '-9007199254740993',
  priceId: 'list',
  billed: true,
  outcome: 'served',
  why: 'served',
  finish: 'stop',
  failure: null,
  losses: [],
  traceId: null,
  corrects: null,
  firstByteMs: 12,
  durationMs: 34,
  tags: null,
  endUser: null,
  session: null,
  ...change,
})

/** A reader of RFC 4180: cells of lines. */
function cellsOf(text: string): string[][] {
  const lines: string[][] = []
  let [cell, line, quoted] = ['', [] as string[], false]
  for (let at = 0; at < text.length; at++) {
    const one = text[at] ?? ''
    if (quoted && one === '"' && text[at + 1] === '"') cell += text[at++]
    else if (one === '"') quoted = !quoted
    else if (!quoted && (one === ',' || text.startsWith('\r\n', at))) {
      line.push(cell)
      cell = ''
      if (one !== ',') {
        lines.push(line)
        line = []
        at++
      }
    } else cell += one
  }
  expect([cell, line, quoted]).toEqual(['', [], false])
  return lines
}

describe('Comma-separated values of usage', () => {
  const read = (rows: readonly OwnedUsage[]) => {
    const [head = [], ...lines] = cellsOf(csvHead() + csvOf(rows))
    return lines.map((cells) => {
      expect(cells).toHaveLength(head.length)
      return Object.fromEntries(cells.map((cell, index) => [head[index], cell]))
    })
  }

  it('have a line for each row, with dollars and times that everybody reads', () => {
    const [one, other] = read([
      row(),
      row({
        units: { images: 2 },
        tags: { team: 'a,"b"' },
        losses: [{ path: 'a', reason: 'x\ny' }],
        cost: null,
        endpoint: 'eu',
        policy: 'cheapest',
        routing: { policy: 'cheapest', considered: [{ provider: 'mine', endpoint: 'eu', model: 'm', why: '$0.1' }] },
      }),
    ])
    expect(one).toMatchObject({
      time: '2023-11-14T22:13:20.000Z',
      request_id: 'req_1',
      project: 'prj_1',
      member: '',
      status: '200',
      stream: 'false',
      input: '10',
      cache_read: '',
      cost: '0.0000015',
      charged: '0',
      held: '-9007199.254740993',
      losses: '',
      tags: '',
      endpoint: '',
      policy: '',
      routing: '',
    })
    expect(other).toMatchObject({
      units: '{"images":2}',
      tags: '{"team":"a,\\"b\\""}',
      losses: '[{"path":"a","reason":"x\\ny"}]',
      cost: '',
      endpoint: 'eu',
      policy: 'cheapest',
      routing: '{"policy":"cheapest","considered":[{"provider":"mine","endpoint":"eu","model":"m","why":"$0.1"}]}',
    })
  })

  it.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://a","b")', '\'=HYPERLINK("http://a","b")'],
    ['+cmd', "'+cmd"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', "'\r=1"],
    ['-12.5', '-12.5'],
    ['+3', '+3'],
    ['a=1', 'a=1'],
    ['line\r\nbreak, "quoted"', 'line\r\nbreak, "quoted"'],
    ["'", "'"],
    ['', ''],
  ])('are no formulas: %j', (model, cell) => {
    expect(read([row({ model })])[0]?.['model']).toBe(cell)
  })
})

describe('Lines of JSON of usage', () => {
  it('are the rows', () => {
    const rows = [row(), row({ model: 'line\nbreak \u2028', tags: { team: 'a' } })]
    const lines = ndjsonOf(rows).split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows)
    expect(ndjsonOf([])).toBe('')
  })
})

import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatFrames,
  chatRequest,
  MESSAGES,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const answer = (call: UpstreamCall): unknown =>
  call.json()['stream'] ? call.stream(chatFrames()) : call.answer(200, chatAnswer())

describe('Tags of a request', () => {
  async function start() {
    const upstream = await startUpstream(answer)
    const gateway = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const tagged = (tags: string, body: unknown = chatRequest, path = CHAT) =>
      gateway.post(path, body, { headers: { 'headgate-tags': tags } })
    return { ...gateway, upstream, tagged }
  }

  it.each<[string, string, Record<string, string>]>([
    ['one', 'team=a', { team: 'a' }],
    [
      'several, with blanks between',
      ' team=a ,job=nightly,\tx.y-z_1 = = ',
      { team: 'a', job: 'nightly', 'x.y-z_1': '=' },
    ],
    ['that are percent-encoded', 'team=caf%C3%A9%2C%F0%9F%8E%AC,job=%61', { team: 'café,🎬', job: 'a' }],
    [
      'as many and as long as may be',
      Array.from({ length: 8 }, (_, nth) => `${nth}${'n'.repeat(31)}=${'v'.repeat(64)}`).join(),
      {},
    ],
    ['named like what objects have', '__proto__=a,constructor=b', JSON.parse('{"__proto__":"a","constructor":"b"}')],
  ])('are in its row: %s', async (_, header, tags) => {
    const { tagged, rows, upstream } = await start()
    for (const stream of [false, true]) await (await tagged(header, { ...chatRequest, stream })).text()
    expect(rows).toHaveLength(2)
    for (const row of rows) {
      if (Object.keys(tags).length > 0) expect(JSON.stringify(row.tags)).toBe(JSON.stringify(tags))
      else expect(Object.keys(row.tags ?? {})).toHaveLength(8)
    }
    expect(upstream.calls.map(({ headers }) => headers['headgate-tags'])).toEqual([undefined, undefined])
  })

  it('are nothing where there are none', async () => {
    const { tagged, post, rows } = await start()
    for (const response of [await tagged('  '), await post(CHAT, chatRequest)]) expect(response.status).toBe(200)
    expect(rows.map(({ tags }) => tags)).toEqual([undefined, undefined])
  })

  it.each([
    ['team', 'tag 1 has no ='],
    ['team=a,', 'tag 2 has no ='],
    ['Team=a', 'the name of tag 1 is not valid'],
    ['=a', 'the name of tag 1 is not valid'],
    [`${'n'.repeat(33)}=a`, 'the name of tag 1 is not valid'],
    ['team=', 'the value of team is not valid'],
    ['team=a b', 'the value of team is not valid'],
    ['team=%20', 'the value of team is not valid'],
    ['team=%0a', 'the value of team is not valid'],
    ['team=%00', 'the value of team is not valid'],
    ['team=%E2%80%8B', 'the value of team is not valid'],
    ['team=%ff', 'the value of team is not valid'],
    ['team=%', 'the value of team is not valid'],
    ['team=\u00e9', 'the value of team is not valid'],
    [`team=${'v'.repeat(65)}`, 'the value of team is not valid'],
    ['team=a,team=b', 'team occurs twice'],
    [Array.from({ length: 9 }, (_, nth) => `${nth}=a`).join(), 'it has more than 8'],
    [','.repeat(5_000), 'it has more than 8'],
  ])('are refused, and nobody is asked: %j', async (header, why) => {
    const { tagged, rows, upstream } = await start()
    const response = await tagged(header)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: {
        param: 'headgate-tags',
        message: expect.stringMatching(
          new RegExp(`^The header headgate-tags is not valid: ${why}\\. Send at most 8 tags`),
        ),
      },
    })
    expect([rows, upstream.calls]).toEqual([[], []])
  })

  it('are refused in the format of the caller', async () => {
    const { tagged } = await start()
    expect(await (await tagged('team', messagesRequest, MESSAGES)).json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error' },
    })
  })

  it('stand beside an id of the request that says when it began', async () => {
    const { tagged, rows } = await start()
    const response = await tagged('team=a')
    const [row] = rows
    expect(response.headers.get('x-request-id')).toBe(row?.requestId)
    expect(Number.parseInt(row?.requestId.slice(4, 16) ?? '', 16)).toBe(row?.startedAt)
  })
})

import { describe, expect, it } from 'vitest'
import { CHAT, dataOf, MESSAGES } from '../../../core/test/support/wire.ts'
import type { UsageRow } from '../../src/index.ts'
import { startOne } from '../support/fleet.ts'
import type { UpstreamCall } from '../support/upstream.ts'

describe('The signature of an image of an answer', () => {
  const lossesOf = (row: UsageRow | undefined) => row?.losses.map(({ path, kind }) => `${path} ${kind}`)
  // Written from https://ai.google.dev/gemini-api/docs/thought-signatures: each part of an image model is signed for
  // itself.
  const drawn = (signature: string, mimeType = 'image/png') => ({
    inlineData: { mimeType, data: 'iVBORw0KGgo=' },
    thoughtSignature: signature,
  })
  const parts = [{ text: 'Two cats.', thoughtSignature: 'VGV4dA==' }, drawn('Q2F0IDE='), drawn('Q2F0IDI=')]
  const answer = (given: object[]) => ({
    candidates: [{ content: { role: 'model', parts: given }, finishReason: 'STOP', index: 0 }],
  })
  const draw = (answers: string | object) =>
    startOne(
      'node',
      () => ({ chat: [{ format: 'generate-content', path: () => '/', signer: 'gemini' }] }),
      (call) => (typeof answers === 'string' ? call.stream([answers]) : call.answer(200, answers)),
    )
  const question = { role: 'user', content: 'Draw two cats.' }
  const returned = (call: UpstreamCall | undefined) =>
    (call?.json()['contents'] as { parts: object[] }[] | undefined)?.[1]?.parts

  it('comes back from a caller of chat completions who sends its turn back', async () => {
    const { post, upstream, rows } = await draw(answer(parts))
    const { choices } = (await (await post(CHAT, { model: 'small', messages: [question] })).json()) as {
      choices: { message: object }[]
    }
    await post(CHAT, { model: 'small', messages: [question, choices[0]?.message, question] })
    expect(returned(upstream.calls[1])).toEqual(parts)
    expect(rows.map(({ losses }) => losses)).toEqual([[], []])
  })

  it('comes back from one who put the turn together from a stream', async () => {
    const { post, upstream } = await draw(
      parts.map((part) => `data: ${JSON.stringify(answer([part]))}\r\n\r\n`).join(''),
    )
    const text = await (await post(CHAT, { model: 'small', messages: [question], stream: true })).text()
    const deltas = (
      dataOf(text) as { choices?: { delta: { content?: string; images?: object[]; extra_content?: object } }[] }[]
    ).flatMap(({ choices }) => choices?.map(({ delta }) => delta) ?? [])
    const message = {
      role: 'assistant',
      content: deltas.map(({ content }) => content ?? '').join(''),
      images: deltas.flatMap(({ images }) => images ?? []),
      extra_content: deltas.find(({ extra_content }) => extra_content)?.extra_content,
    }
    await post(CHAT, { model: 'small', messages: [question, message, question] })
    expect(returned(upstream.calls[1])).toEqual(parts)
  })

  it('goes with the image where the format has none, which is declared', async () => {
    const { post, rows } = await draw(answer(parts))
    await post(MESSAGES, { model: 'small', max_tokens: 9, messages: [question] })
    expect(lossesOf(rows[0])).toEqual(
      ['response.candidates[0].content.parts[1]', 'response.candidates[0].content.parts[2]'].map(
        (path) => `${path} dropped`,
      ),
    )
  })

  it('is declared where a place is taken: text has one signature, and its order among images is lost', async () => {
    const { post, rows } = await draw(answer([...parts, { text: 'Done.', thoughtSignature: 'RG9uZQ==' }]))
    await post(CHAT, { model: 'small', messages: [question] })
    expect(lossesOf(rows[0])).toEqual([
      'response.candidates[0].content.parts[0].thoughtSignature dropped',
      'response.candidates[0].content.parts[3] changed',
    ])
  })

  it('is declared where the caller speaks of functions, whose calls have no place for it', async () => {
    const call = { functionCall: { name: 'f', args: {} }, thoughtSignature: 'Q2FsbA==' }
    const functions = [{ name: 'f', parameters: { type: 'object' } }]
    for (const [stream, answers] of [
      [false, answer([call])],
      [true, `data: ${JSON.stringify(answer([call]))}\r\n\r\n`],
    ] as const) {
      const { post, rows } = await draw(answers)
      await (await post(CHAT, { model: 'small', messages: [question], functions, stream })).text()
      expect(lossesOf(rows[0])).toEqual([expect.stringMatching(/^response\..*ignature dropped$/)])
    }
  })
})

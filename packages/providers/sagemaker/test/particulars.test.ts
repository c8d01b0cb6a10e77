import { CALLER_KEY, framings, type LoopbackUpstream, startUpstream } from '@headgate/conformance'
import type { ChatSupport, HttpResponse } from '@headgate/core/provider'
import { createGateway, type Gateway } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sagemaker } from '../src/index.ts'

const given = { region: 'eu-central-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'zebra.of.the.maker' }
const provider = sagemaker(given)
const [chat] = provider.chat as readonly [ChatSupport]
const failed = (status: number, type: string | undefined, body: unknown) => {
  const answer: HttpResponse = {
    status,
    headers: { ...(type && { 'x-amzn-errortype': type }) },
    body,
    bytes: new Uint8Array(),
  }
  return provider.readError?.(answer)
}

describe('SageMaker', () => {
  it('is at the host of its region, and wants keys', () => {
    expect(provider.baseUrl).toBe('https://runtime.sagemaker.eu-central-1.amazonaws.com')
    expect(sagemaker({ ...given, region: 'cn-north-1' }).baseUrl).toBe(
      'https://runtime.sagemaker.cn-north-1.amazonaws.com.cn',
    )
    expect(() => sagemaker({ ...given, region: 'x.example/' })).toThrow('region')
    expect(() => sagemaker({ region: 'eu-central-1' })).toThrow('AWS_ACCESS_KEY_ID')
  })

  it('has no facts and no prices, and takes names of endpoints and their components for models, nothing else', () => {
    expect([provider.models, provider.known]).toEqual([undefined, undefined])
    const names = ['herd', 'herd-2/llama-4', 'herd/', 'herd/a/b', '../herd', 'herd/x\r\ny: z', '-herd', 'x'.repeat(64)]
    expect(names.filter((name) => chat.speaks?.(name))).toEqual(['herd', 'herd-2/llama-4'])
  })

  // Written from
  // https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html#API_runtime_InvokeEndpoint_Errors
  it('tells what a container answered, by its own status and words', () => {
    const model = (OriginalStatusCode: number, OriginalMessage: string) =>
      failed(424, 'ModelError', {
        Message: 'Received client error from primary.',
        OriginalStatusCode,
        OriginalMessage,
        LogStreamArn: 'arn:x',
      })
    const long = JSON.stringify({
      object: 'error',
      message: "This model's maximum context length is 8 tokens.",
      code: 400,
    })
    expect(model(400, long)).toEqual({
      kind: 'context-too-long',
      message: "This model's maximum context length is 8 tokens.",
    })
    expect(model(429, '{"error":{"message":"Slow down."}}')).toEqual({ kind: 'rate-limited', message: 'Slow down.' })
    expect(failed(424, 'ModelError', { Message: 'Oops.' })).toEqual({ kind: 'upstream', message: 'Oops.' })
    expect(model(500, 'CUDA out of memory')).toEqual({ kind: 'upstream', message: 'CUDA out of memory' })
  })

  it('tells what itself refuses', () => {
    const none = 'Endpoint herd of account 123456789012 not found.'
    expect(failed(400, 'ValidationError:http://x', { Message: none })).toEqual({ kind: 'unknown-model', message: none })
    expect(failed(400, 'ValidationError', { Message: 'Bad.' })).toEqual({ kind: 'invalid-request', message: 'Bad.' })
    expect(failed(400, 'ThrottlingException', { Message: 'Rate exceeded' })).toEqual({
      kind: 'rate-limited',
      message: 'Rate exceeded',
    })
    expect(failed(429, 'ModelNotReadyException', { Message: 'Wait.' })).toEqual({
      kind: 'rate-limited',
      message: 'Wait.',
    })
    expect(failed(503, 'ServiceUnavailable', { Message: 'Wait.' })).toEqual({ kind: 'overloaded', message: 'Wait.' })
    expect(failed(400, 'AccessDeniedException', { Message: 'No.' })).toEqual({ kind: 'our-credential', message: 'No.' })
    expect(failed(530, 'InternalDependencyException', { Message: 'Oops.' })).toMatchObject({ kind: 'upstream' })
    expect(failed(200, undefined, {})).toBeUndefined()
  })
})

describe('An endpoint of SageMaker', () => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = createGateway({
      providers: [sagemaker({ ...given, baseUrl: upstream.origin })],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

  async function ask(model: string, stream = false): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${CALLER_KEY}`, 'content-type': 'application/json', vendor: 'sagemaker' }
    const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }] })
    const answer = await gateway.fetch(
      new Request('http://localhost/v1/chat/completions', { method: 'POST', headers, body }),
    )
    return { status: answer.status, text: await answer.text() }
  }

  it('is asked for a component of it by a header', async () => {
    upstream.answer({
      kind: 'whole',
      body: { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] },
    })
    expect((await ask('herd-2/llama-4')).status).toBe(200)
    const [request] = upstream.received.slice(-1)
    expect(request).toMatchObject({
      path: '/endpoints/herd-2/invocations',
      headers: { 'x-amzn-sagemaker-inference-component': 'llama-4' },
    })
    expect(request?.body).not.toHaveProperty('model')
    await ask('herd-2')
    expect(upstream.received.at(-1)?.headers).not.toHaveProperty('x-amzn-sagemaker-inference-component')
  })

  // Written from https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_ResponseStream.html
  it.each(['ModelStreamError', 'InternalStreamFailure'])(
    'tells that it breaks off within an event by %s',
    async (event) => {
      const { write, contentType } = framings['aws-event-stream']
      const begun = JSON.stringify({
        choices: [{ index: 0, delta: { role: 'assistant', content: 'It is' }, finish_reason: null }],
      })
      const pieces = [
        write({ event: 'PayloadPart', data: `data: ${begun}\n\ndata: {"choices":[{"ind` }),
        write({
          event,
          data: { Message: 'The model took too long.', ErrorCode: 'ModelInvocationTimeExceeded' },
          isException: true,
        }),
      ]
      upstream.answer({ kind: 'stream', pieces, headers: { 'content-type': contentType } })
      const { text } = await ask('herd', true)
      expect(text).toContain('It is')
      expect(text).toContain('The model took too long.')
      expect(text).not.toContain('"ind"')
      expect(text).not.toContain('[DONE]')
    },
  )
})

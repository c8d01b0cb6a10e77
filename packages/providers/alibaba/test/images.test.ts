import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { alibaba } from '../src/index.ts'

/**
 * Responses are written from https://www.alibabacloud.com/help/en/model-studio/qwen-image-api and
 * https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference.
 */
const dashscope = alibaba({ apiKey: 'k' })
const url = 'https://dashscope-result.oss-cn-beijing.aliyuncs.com/a.png?Expires=1'

describe('Images of Alibaba', () => {
  it('of Qwen are a message with the images before the prompt', () => {
    const { sent, result } = imagesExchange(
      dashscope,
      {
        model: 'qwen-image-2.0-pro',
        n: 2,
        size: { width: 1024, height: 1536 },
        seed: 0,
        negative: 'dogs',
        images: [{ url: 'https://a.example/1.png' }],
        more: { watermark: false },
      },
      [
        {
          json: {
            output: { choices: [1, 2].map(() => ({ message: { role: 'assistant', content: [{ image: url }] } })) },
            usage: { image_count: 2, width: 1024, height: 1536 },
          },
        },
      ],
    )
    expect(sent).toMatchObject([
      {
        url: '/api/v1/services/aigc/multimodal-generation/generation',
        headers: {},
        json: {
          model: 'qwen-image-2.0-pro',
          input: { messages: [{ role: 'user', content: [{ image: 'https://a.example/1.png' }, { text: 'a cat' }] }] },
          parameters: { n: 2, size: '1024*1536', seed: 0, negative_prompt: 'dogs', watermark: false },
        },
      },
    ])
    expect(result).toMatchObject({ images: [{ url }, { url }], usage: { units: { images: 2 } } })
  })

  it('of older models of Wan are a task', () => {
    const task = (more: object) => ({ json: { output: { task_id: 't/1', ...more }, usage: { image_count: 1 } } })
    const { sent, result, cancel } = imagesExchange(dashscope, { model: 'wan2.2-t2i-flash', negative: 'dogs' }, [
      task({ task_status: 'PENDING' }),
      task({ task_status: 'RUNNING' }),
      task({ task_status: 'SUCCEEDED', results: [{ url, actual_prompt: 'a small cat' }] }),
    ])
    expect(sent.map((one) => [one.method, one.url])).toEqual([
      ['POST', '/api/v1/services/aigc/text2image/image-synthesis'],
      ['GET', '/api/v1/tasks/t%2F1'],
      ['GET', '/api/v1/tasks/t%2F1'],
    ])
    expect(sent[0]).toMatchObject({
      headers: { 'x-dashscope-async': 'enable' },
      json: { input: { prompt: 'a cat', negative_prompt: 'dogs' }, parameters: { n: 1 } },
    })
    expect(sent[2]?.afterMs).toBeGreaterThan(sent[1]?.afterMs ?? 0)
    expect(result).toMatchObject({ images: [{ url, revised: 'a small cat' }], usage: { units: { images: 1 } } })
    expect(cancel).toMatchObject({ method: 'POST', url: '/api/v1/tasks/t%2F1/cancel' })
  })

  it('that the inspection blocks are blocked, also in a task with status 200', () => {
    const output = { task_id: 't', task_status: 'FAILED', code: 'DataInspectionFailed', message: 'inappropriate' }
    expect(imagesExchange(dashscope, { model: 'wan2.2-t2i-flash' }, [{ json: { output } }]).result).toMatchObject({
      images: [],
      blocked: 'inappropriate',
    })
    const json = { code: 'DataInspectionFailed', message: 'inappropriate' }
    expect(() => imagesExchange(dashscope, { model: 'qwen-image' }, [{ json, status: 400 }])).toThrow(
      expect.objectContaining({ kind: 'content-policy' }),
    )
  })

  it('fail with the reason of the task', () => {
    const output = { task_id: 't', task_status: 'FAILED', code: 'InternalError', message: 'try again' }
    expect(() => imagesExchange(dashscope, { model: 'wan2.2-t2i-flash' }, [{ json: { output } }])).toThrow('try again')
  })
})

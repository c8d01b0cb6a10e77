import { describe, expect, it } from 'vitest'
import { NO_DRAFT, readDraft, toolsOf } from '../../web/pages/playground/chat/draft.ts'
import { nearest, similarities, vectorsOf } from '../../web/pages/playground/embeddings/similarity.ts'
import { queryOf } from '../../web/pages/playground/search/parameters.ts'
import { resultsOf, webAddress } from '../../web/pages/playground/search/results.ts'
import { modelsOf } from '../../web/pages/playground/search.ts'
import { ownAddress, taskBody, taskOf } from '../../web/pages/playground/video/task.ts'
import { lossesOf } from '../../web/pages/playground/wire/lost.tsx'

describe('What was typed', () => {
  it('is left to the model where nothing was', () => {
    const { settings, wrong } = readDraft(NO_DRAFT)
    expect(wrong).toEqual({})
    expect(JSON.parse(JSON.stringify(settings))).toEqual({
      format: 'chat-completions',
      system: '',
      tools: [],
      parameters: {},
      streams: true,
      isStrict: false,
    })
  })

  it('is read, and what can not be is named', () => {
    const { settings, wrong } = readDraft({
      ...NO_DRAFT,
      maxTokens: '1.5',
      temperature: ' 0.7 ',
      topP: '2',
      seed: '-1',
      stop: 'a\n\nb',
      effort: 'low',
      tools: '[{"description":"none"}]',
      schema: '[]',
      toolChoice: 'tool:gone',
    })
    expect(Object.keys(wrong).toSorted()).toEqual(['maxTokens', 'schema', 'seed', 'tools', 'topP'])
    expect(wrong.tools).toBe('Tool 1 has no name.')
    expect(settings.parameters).toMatchObject({
      temperature: 0.7,
      stop: ['a', 'b'],
      effort: 'low',
      toolChoice: undefined,
    })
  })

  it('are tools in each of the ways in which they are written', () => {
    const parameters = { type: 'object' }
    const tool = { name: 'f', parameters }
    expect(toolsOf(JSON.stringify([tool]))).toEqual([tool])
    expect(toolsOf(JSON.stringify({ type: 'function', function: tool }))).toEqual([tool])
    expect(toolsOf(JSON.stringify([{ name: 'f', input_schema: parameters }]))).toEqual([tool])
    expect(() => toolsOf('[')).toThrow('Not valid JSON')
    expect(() => toolsOf('[{"name":"f"},{"name":"f"}]')).toThrow('Two tools have the name f.')
  })

  it('names at most four models, each once', () => {
    expect(modelsOf('a, b,a,,c,d,e')).toEqual(['a', 'b', 'c', 'd'])
    expect(modelsOf(undefined)).toEqual([])
  })
})

describe('A search', () => {
  it('asks for what was given', () => {
    expect(queryOf('cats', { num: ' 3 ', siteSearch: '', rights: 'cc', unknown: 'x' })).toEqual({
      q: 'cats',
      num: '3',
      rights: 'cc',
    })
  })

  it('has results, whatever is missing', () => {
    const answer = {
      items: [{ title: 'T', link: 'https://a.example' }, null],
      queries: { nextPage: [{ startIndex: 11 }] },
    }
    expect(resultsOf(answer)).toEqual({
      items: [{ title: 'T', link: 'https://a.example', shown: '', snippet: '' }],
      total: '',
      next: 11,
      previous: undefined,
    })
    expect(resultsOf('no').items).toEqual([])
  })

  it('links to pages of the web alone', () => {
    expect(webAddress('https://a.example/x')).toBe('https://a.example/x')
    for (const link of ['javascript:alert(1)', ' https://a.example', 'data:text/html,x', '//a.example', '', 'https://'])
      expect([link, webAddress(link)]).toEqual([link, undefined])
  })
})

describe('Vectors', () => {
  it('are as near as their angle is small', () => {
    const table = similarities([
      [1, 0],
      [2, 0],
      [0, 3],
      [0, 0],
    ])
    expect(table[0]).toEqual([1, 1, 0, null])
    expect(nearest(table)).toEqual([0, 1])
    expect(nearest([[1]])).toBeUndefined()
  })

  it('are none where they are of several lengths, or no numbers', () => {
    expect(vectorsOf({ data: [{ embedding: [1, 2] }, { embedding: [3, 4] }] })).toHaveLength(2)
    for (const data of [
      [],
      [{ embedding: 'base64' }],
      [{ embedding: [1] }, { embedding: [1, 2] }],
      [{ embedding: [null] }],
      7,
    ])
      expect(vectorsOf({ data })).toBeUndefined()
  })
})

describe('A video', () => {
  const HERE = 'http://localhost:8787'
  it('is played from where the page is', () => {
    const path = '/api/v3/contents/generations/tasks/cgt-1/content?s=1'
    expect(ownAddress(`http://127.0.0.1:8787${path}`, HERE)).toBe(`${HERE}${path}`)
    expect(ownAddress(path, HERE)).toBe(`${HERE}${path}`)
    for (const other of ['https://cdn.example/video.mp4', '', 'https://', `javascript:${path}`])
      expect([other, ownAddress(other, HERE)]).toEqual([other, undefined])
  })

  it('is asked for by what was given', () => {
    const draft = {
      prompt: 'a cat',
      ratio: '',
      resolution: '480p',
      duration: '5',
      seed: '',
      image: 'data:image/png;base64,AA==',
    }
    expect(taskBody('demo', draft)).toEqual({
      model: 'demo',
      resolution: '480p',
      duration: 5,
      content: [
        { type: 'text', text: 'a cat' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' }, role: 'first_frame' },
      ],
    })
  })

  it('says how far it is, and why it failed', () => {
    expect(taskOf({ id: 'cgt-1', status: 'running', progress: 0.5 })).toMatchObject({
      status: 'running',
      progress: 0.5,
      video: '',
      error: '',
    })
    expect(taskOf({ id: 'cgt-1', status: 'failed', error: { code: 'X', message: 'no' } })?.error).toBe('X: no')
    expect(taskOf({})).toBeUndefined()
  })
})

describe('The header headgate-lost', () => {
  it('is read by paths', () => {
    expect(lossesOf('temperature, reasoning_effort;changed, +3')).toEqual([
      { path: 'temperature', kind: 'dropped', reason: '' },
      { path: 'reasoning_effort', kind: 'changed', reason: '' },
      { path: '3 more', kind: 'lost', reason: '' },
    ])
    expect(lossesOf('')).toEqual([])
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../src/caller.ts'
import { type LoopbackUpstream, startUpstream } from '../src/index.ts'

describe('The loopback upstream', () => {
  let upstream: LoopbackUpstream
  beforeAll(async () => {
    upstream = await startUpstream()
  })
  afterAll(() => upstream.close())

  it('keeps what it got and answers what it was told', async () => {
    upstream.answer({ kind: 'whole', status: 418, headers: { 'x-kind': 'teapot' }, body: { short: 'stout' } })
    const got = await ask(upstream.origin, { path: '/pour?cup=1', body: { milk: true }, headers: { 'x-cup': 'blue' } })
    expect(got).toMatchObject({ status: 418, body: { short: 'stout' }, broken: false, headers: { 'x-kind': 'teapot' } })
    const [request] = upstream.received
    expect(request).toMatchObject({ method: 'POST', path: '/pour', headers: { 'x-cup': 'blue' }, body: { milk: true } })
    expect(request?.query.get('cup')).toBe('1')
    expect(await request?.closed).toBe('whole')
    // What the README says that `read` gets.
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
    const table = readme.slice(readme.indexOf('`read` receives the request:')).split('\n\n')[1] ?? ''
    const members = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, member]) => member)
    expect(Object.keys(request ?? {}).sort()).toEqual(members.sort())
  })

  it('sends every piece of a stream as a network chunk of its own', async () => {
    upstream.answer({ kind: 'stream', pieces: ['da', 'ta: x\n', '\n'].map((piece) => Buffer.from(piece)) })
    const pieces: string[] = []
    const leave = (piece: string) => {
      pieces.push(piece)
      return false
    }
    await ask(upstream.origin, { path: '/', body: {}, leave })
    expect(pieces).toEqual(['da', 'ta: x\n', '\n'])
  })

  it('breaks answers off where it is told to', async () => {
    const pieces = [Buffer.from('data: x\n\n')]
    upstream.answer({ kind: 'stream', pieces, end: 'cut' })
    expect(await ask(upstream.origin, { path: '/', body: {} })).toMatchObject({ text: 'data: x\n\n', broken: true })
    upstream.answer({ kind: 'whole', body: { a: 1 }, cut: true })
    expect(await ask(upstream.origin, { path: '/', body: {} })).toMatchObject({ text: '{"a":1', broken: true })
    upstream.answer({ kind: 'reset' })
    expect(await ask(upstream.origin, { path: '/', body: {} })).toMatchObject({ status: 0, broken: true })
  })

  it('notices that the caller has left', async () => {
    const caller = new AbortController()
    upstream.answer({ kind: 'silence' })
    const arrival = upstream.arrival()
    const answer = ask(upstream.origin, { path: '/', body: {}, signal: caller.signal })
    const request = await arrival
    caller.abort()
    expect(await request.closed).toBe('broken')
    expect((await answer).broken).toBe(true)
  })

  it('has the fields of a form by their names', async () => {
    const upstream = await startUpstream()
    const form = new FormData()
    form.append('prompt', 'a cat')
    form.append('size', '1')
    form.append('size', '2')
    form.append('image', new Blob(['png'], { type: 'image/png' }), 'a.png')
    upstream.answer({ kind: 'whole', body: {} })
    await fetch(upstream.origin, { method: 'POST', body: form })
    expect(upstream.received[0]?.body).toEqual({
      prompt: 'a cat',
      size: ['1', '2'],
      image: 'data:image/png;base64,cG5n',
    })
    await upstream.close()
  })
})

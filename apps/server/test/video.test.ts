import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startUpstream } from '@headgate/conformance'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stateBar } from '../src/commands/state-bar.ts'
import { startInProcess } from './in-process.ts'
import { command, interrupt } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const VOLCENGINE = join(import.meta.dirname, '../../../packages/providers/volcengine')
const MODEL = 'doubao-seedance-1-0-pro-250528'
const LONG = { timeout: 240_000 }

/** A folder with a provider whose tasks have succeeded when they are first asked for; their video is that text. */
async function withArk(video: string) {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  const bodies: unknown[] = []
  upstream.answer(({ method, path, body }) => {
    if (path.endsWith('.mp4')) return { kind: 'whole', body: video, headers: { 'content-type': 'video/mp4' } }
    if (method === 'POST') bodies.push(body)
    if (path.endsWith('/models'))
      return { kind: 'whole', body: { object: 'list', data: [{ id: MODEL, task_type: ['TextToVideo'] }] } }
    const made = {
      content: { video_url: `${upstream.origin}/made.mp4` },
      usage: { completion_tokens: 7, total_tokens: 7 },
    }
    return { kind: 'whole', body: { id: 'cgt-1', model: MODEL, status: 'succeeded', ...made } }
  })
  const folder = temporaryFolder({
    'package.json': { private: true, headgate: { adapters: [VOLCENGINE] } },
    'headgate.config.json': { providers: { volcengine: { apiKey: 'a-key', baseUrl: `${upstream.origin}/api/v3` } } },
  })
  return { folder, bodies }
}

describe('headgate video', () => {
  it('makes a video without a key, says how far it is line by line, and accounts for it', LONG, async () => {
    const folder = temporaryFolder()
    const made = await command(
      ['video', 'a cat surfing', '--model', 'demo', '--out', 'cat.mp4', '--duration', '4', '--ratio', '1:1'],
      {
        folder,
      },
    )
    const file = join(folder, 'cat.mp4')
    const video = readFileSync(file)
    expect(made).toEqual({
      code: 0,
      stdout: `${file} (${video.length.toLocaleString('en')} bytes)\n`,
      stderr: expect.stringMatching(/^queued\n(running\n)?succeeded\n$/),
    })
    expect(video.subarray(4, 8).toString()).toBe('ftyp')
    expect(readdirSync(folder).filter((name) => name.includes('.mp4'))).toEqual(['cat.mp4'])
    const { stdout } = await command(['usage'], { folder })
    expect(stdout).toMatch(/command-line +video +demo +demo +200 .* served\n/)
  })

  it.each([
    [['video', '--model', 'demo'], 'video takes one prompt in quotes'],
    [['video', 'a', 'cat', '--model', 'demo'], 'video takes one prompt in quotes'],
    [['video', 'a cat'], '--model <name> is required'],
    [
      ['video', 'a cat', '--model', 'demo', '--duration', 'long'],
      '--duration: found "long"; allowed: seconds, such as 5',
    ],
    [['video', 'a cat', '--model', 'demo', '--image', 'cat.gif'], '--image: cat.gif is neither a URL nor one of .png'],
    [['video', 'a cat', '--model', 'demo', '--image', 'cat.png'], '--image: cat.png cannot be read: ENOENT'],
    [['video', 'a cat', '--modle', 'demo'], "Unknown option '--modle'"],
  ])('%o is a mistake, told in one line', async (args, message) => {
    const { code, stdout, stderr } = await command(args, { folder: temporaryFolder() })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`headgate: ${message}`)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it.each([
    ['demo:fail', [], /\nfailed\nheadgate: The demo failed, as requested\.\n$/],
    ['demo:reject', [], /^headgate: demo: The demo rejected the prompt, as requested\./],
    [
      'a cat',
      ['--duration', '99'],
      /^headgate: demo cannot serve this request with demo: it supports durations of 1 to 30 seconds, not 99\./,
    ],
    ['a cat', ['--vendor', 'nobody'], /^headgate: Unknown vendor "nobody"\./],
  ])('says why there is none of %o %o, and leaves the file alone', LONG, async (text, more, said) => {
    const folder = temporaryFolder({ 'video.mp4': 'another video' })
    const ended = await command(['video', text, '--model', 'demo', ...(more.length > 0 ? more : ['--duration', '1'])], {
      folder,
    })
    expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(said) })
    expect(readFileSync(join(folder, 'video.mp4'), 'utf8')).toBe('another video')
    expect(existsSync(join(folder, 'video.mp4.part'))).toBe(false)
  })

  it('begins with an image, and asks nobody where the file can not be written', LONG, async () => {
    const { folder, bodies } = await withArk('the video')
    writeFileSync(join(folder, 'cat.png'), 'pixels')
    const args = ['video', 'it surfs', '--model', MODEL, '--image', 'cat.png', '--resolution', '720p']
    const wrong = await command([...args, '--out', 'nowhere/cat.mp4'], { folder })
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^headgate: \S+cat\.mp4 cannot be written: ENOENT\.\n$/),
    })
    expect(bodies).toEqual([])

    expect(await command(args, { folder })).toMatchObject({ code: 0, stderr: 'succeeded\n' })
    expect(readFileSync(join(folder, 'video.mp4'), 'utf8')).toBe('the video')
    const url = `data:image/png;base64,${Buffer.from('pixels').toString('base64')}`
    const content = [
      { type: 'text', text: 'it surfs' },
      { type: 'image_url', image_url: { url }, role: 'first_frame' },
    ]
    expect(bodies).toMatchObject([{ model: MODEL, content, resolution: '720p' }])
  })

  it('says that the task goes on when it is interrupted', LONG, async () => {
    const folder = temporaryFolder()
    const ended = await interrupt(['video', 'demo:hang', '--model', 'demo'], /queued/, { folder })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/\nheadgate: Stopped\. The task cgt-[\w-]+ continues at its provider\.\n$/)
    expect(readdirSync(folder).filter((name) => name.includes('.mp4'))).toEqual([])
  })

  it('draws a bar on a terminal, and a line for each state elsewhere', () => {
    const written: string[] = []
    let now = 0
    const play = (isTerminal: boolean): string => {
      written.length = 0
      now = 0
      const bar = stateBar(
        (text) => written.push(text),
        isTerminal,
        () => now,
      )
      bar.show('queued', undefined)
      now = 1_400
      bar.show('running', 0.5)
      bar.show('running', 0.5)
      bar.end()
      bar.end()
      return written.join('')
    }
    const half = `\r[${'#'.repeat(15)}${'-'.repeat(15)}] running  1 s`
    expect(play(true)).toBe(`\r[${'-'.repeat(30)}] queued  0 s${half}${half}\n`)
    expect(play(false)).toBe('queued\nrunning\n')
  })

  it('works beside a running gateway, also where the demo serves nobody else', LONG, async () => {
    const folder = temporaryFolder({
      'headgate.config.json': {
        keys: ['sk-local'],
        providers: { mine: { adapter: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', models: ['model-1'] } },
      },
    })
    const gateway = await startInProcess({ folder })
    expect(gateway.output()).not.toMatch(/providers.*demo/)
    expect(await command(['video', 'a cat', '--model', 'demo', '--duration', '1'], { folder })).toMatchObject({
      code: 0,
    })
    const headers = { authorization: 'Bearer sk-local' }
    const listed = await fetch(`${gateway.url}/api/v3/contents/generations/tasks`, { headers })
    expect(await listed.json()).toEqual({ items: [], total: 0 })
    expect(await gateway.stop()).toBe(0)
    const { stdout } = await command(['usage'], { folder })
    expect(stdout.match(/command-line +video +demo/g)).toHaveLength(1)
  })
})

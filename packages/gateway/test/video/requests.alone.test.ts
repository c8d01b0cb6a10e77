import { expect, it } from 'vitest'
import { startFiles } from '../support/linked-media.ts'
import { startUpstream } from '../support/upstream.ts'
import { startVideos, videoProvider } from './support.ts'

it('Parameters in the text of a video request are read in time that grows with the text', async () => {
  const upstream = await startUpstream((call) => call.answer(200, { id: 'upstream-1', state: 'waiting' }))
  const { create } = await startVideos({ providers: [videoProvider(upstream.origin)] })
  const text = `${'--ab '.repeat(100_000)}${' '.repeat(100_000)}`
  const begun = performance.now()
  expect((await create({ content: [{ type: 'text', text }] }))[0]).toBe(200)
  expect(performance.now() - begun).toBeLessThan(2_000)
})

it('The creation of a video with an image by URL ends within the time that the caller allows', async () => {
  const { files, options } = await startFiles()
  const silent = await startUpstream(() => {})
  const provider = videoProvider(silent.origin, { capabilities: { takes: 'base64' } })
  const { create } = await startVideos({ providers: [provider], ...options })
  const content = [{ type: 'image_url', image_url: { url: `${files.origin}/cat.png` } }]
  const begun = performance.now()
  expect((await create({ content }, { headers: { 'headgate-timeout-ms': '300' } }))[0]).toBe(200)
  expect(performance.now() - begun).toBeLessThan(3_000)
})

import { testProvider } from '@headgate/conformance'
import { minimax } from '../src/index.ts'
import { video } from './hailuo-vendor.ts'

type Config = Parameters<typeof minimax>[0]

/** What is not of videos has been checked beside H3. This version can not cancel. */
function onlyVideos(config: Config) {
  const { chat: _, models: __, speech: _speech, images: _images, video: videos, ...provider } = minimax(config)
  if (!videos) return provider
  const { cancel: ___, ...rest } = videos
  return { ...provider, video: rest }
}

testProvider<Config>(Object.assign(onlyVideos, minimax), {
  config: { apiKey: 'heron.by.the.weir' },
  upstream: { credential: { header: 'authorization', value: 'Bearer heron.by.the.weir' } },
  video,
})

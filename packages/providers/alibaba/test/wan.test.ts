import { testProvider } from '@headgate/conformance'
import { alibaba } from '../src/index.ts'
import { videoOf } from './vendor.ts'

type Config = Parameters<typeof alibaba>[0]

/** What is not of videos has been checked beside the newest. */
function onlyVideos(config: Config) {
  const { chat: _, models: __, images: ___, ...provider } = alibaba(config)
  return provider
}

const between = '/api/v1/services/aigc/image2video/video-synthesis'
const models = [
  videoOf('wan2.7-t2v'),
  videoOf('wan2.7-i2v'),
  videoOf('wan2.7-r2v'),
  videoOf('wan2.6-i2v-flash'),
  videoOf('wan2.6-r2v'),
]
const older = [videoOf('wan2.5-t2v-preview'), videoOf('wan2.2-t2v-plus'), videoOf('wan2.2-kf2v-flash', between)]

for (const video of [...models, ...older])
  testProvider<Config>(Object.assign(onlyVideos, alibaba), {
    config: { apiKey: 'stork.on.the.chimney' },
    upstream: { credential: { header: 'authorization', value: 'Bearer stork.on.the.chimney' } },
    video,
  })

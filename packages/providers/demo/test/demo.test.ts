import { testProvider } from '@headgate/conformance'
import { demo } from '../src/index.ts'
import { videosBy } from '../src/video.ts'

const start = Date.now()
/** The demo on a clock that is 100 times as fast, looked at as often as anyone asks. */
const quick = () => {
  const video = videosBy(() => start + (Date.now() - start) * 100)
  // The kit checks these families only of upstreams.
  const others = { images: undefined, speech: undefined, transcription: undefined, moderations: undefined }
  return Object.assign(demo({}), others, { video: { ...video, pollRate: { everyMs: 1, perSecond: 1_000 } } })
}

testProvider(Object.assign(quick, demo), {
  config: {},
  model: 'demo',
  video: {
    model: 'demo',
    texts: { succeeded: 'A cat is surfing.', failed: 'demo:fail', refused: 'demo:refuse', expired: 'demo:expire' },
  },
})

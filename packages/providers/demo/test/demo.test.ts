import { testProvider } from '@headgate/conformance'
import { demo } from '../src/index.ts'

testProvider(demo, {
  config: {},
  model: 'demo',
  video: {
    model: 'demo',
    texts: { succeeded: 'A cat is surfing.', failed: 'demo:fail', refused: 'demo:refuse', expired: 'demo:expire' },
  },
})

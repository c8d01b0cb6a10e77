import { testProvider } from '@headgate/conformance'
import { demo } from '../src/index.ts'

testProvider(demo, { config: {}, model: 'demo' })

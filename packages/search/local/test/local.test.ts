import { testSearchBackend } from '@headgate/conformance'
import { local } from '../src/index.ts'

testSearchBackend(local, {
  config: {},
  find: [
    { q: 'configuration file', first: 'Configuration' },
    { q: 'usage and billing', first: 'Usage and billing' },
  ],
})
